import { consoleConfig } from "@frontdesk/ui/console-config";

export default consoleConfig({ guide: "print.md" });
