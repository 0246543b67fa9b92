import { startConsole } from "@frontdesk/ui";
import { App } from "./app.tsx";
import { queryClient } from "./session.ts";

startConsole(<App />, queryClient);
