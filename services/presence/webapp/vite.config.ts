import { consoleConfig } from "@frontdesk/ui/console-config";

export default consoleConfig({ guide: "presence.md" });
