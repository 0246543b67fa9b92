import { consoleConfig } from "@frontdesk/ui/console-config";

export default consoleConfig({ guide: "lease.md", firstQuestions: ["/api/v1/auth/session"] });
