import { consoleConfig } from "@frontdesk/ui/console-config";

export default consoleConfig({ guide: "avatar.md", firstQuestions: ["/auth/session", "/config"] });
