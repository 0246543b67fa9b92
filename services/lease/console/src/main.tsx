import { startConsole } from "@frontdesk/ui";
import { questions } from "./api.ts";
import { App } from "./app.tsx";
import { queryClient } from "./session.ts";

startConsole(<App />, queryClient, [queryClient.prefetchQuery({ ...questions.me, retry: false })]);
