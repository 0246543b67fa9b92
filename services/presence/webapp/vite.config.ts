import { consoleConfig } from "@frontdesk/ui/console-config";

export default consoleConfig({
  guide: "presence.md",
  firstQuestions: ["/api/v1/app/auth/session", "/api/v1/app/config"],
});
