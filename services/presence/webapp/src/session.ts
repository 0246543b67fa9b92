import { ABOUT_A_CODE } from "@frontdesk/signin/page-words";
import { createSession } from "@frontdesk/ui";
import { heedRefusals, questions } from "./api.ts";
import type { Me } from "./shapes.ts";

export const session = createSession({
  identity: questions.me,
  who: ({ email }: Me) => email,
  publicKeys: ["config", "shared"],
  hasEnded: ({ status, code }) => status === 401 && !ABOUT_A_CODE.has(code),
});

heedRefusals(session.heed);

export const { queryClient, changed } = session;

export async function startSession(): Promise<void> {
  await queryClient.refetchQueries(questions.me);
  await queryClient.invalidateQueries();
}
