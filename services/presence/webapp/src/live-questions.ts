import { gather, gatherSpread } from "@frontdesk/ui/gather";
import { askAnew } from "@frontdesk/ui/put-live";
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { Board } from "./shapes.ts";

/** How many TODOs are open in each project changes with every one of them. */
const PROJECTS_MS = 1_000;

/** Asks for these soon, once for many events. An answer that is on its way is let come, however quickly events follow. */
export const askSoon = (queries: QueryClient, ...what: ReadonlyArray<{ queryKey: QueryKey }>) =>
  gatherSpread(() => askAnew(queries, ...what));

/** What is asked for because the stream told of a change, and not how it is now. */
export function createLiveQuestions(queries: QueryClient, org: string) {
  const board = { queryKey: ["board", org] };
  const projects = { queryKey: ["projects", org] };
  const questions = {
    all: askSoon(
      queries,
      board,
      projects,
      ...["todos", "planned", "statuses"].map((what) => ({ queryKey: [what, org] })),
    ),
    projects: gatherSpread(() => askAnew(queries, projects), PROJECTS_MS),
    /** One's planned statuses: one of them has begun, or has ended. */
    planned: gather(() => askAnew(queries, { queryKey: ["planned", org] })),
    /** Set in another window, or by reception, a status can be taken back here too. Set here, the answer has said so by then. */
    undo: gatherSpread(() => {
      if (queries.getQueryData<Board>(board.queryKey)?.me.undo === null) askAnew(queries, board);
    }),
  };
  const stop = () => {
    for (const question of Object.values(questions)) question.stop();
  };
  return { ...questions, stop };
}
