/** Where a person is about to go: to another page, or out of the session, which forgets all drafts. */
export type Leaving = "page" | "session";
type Ask = (leaving: Leaving) => Promise<boolean>;

const guards = new Set<Ask>();

/** Asks before the page is left for another; a tab that is closed asks in the browser's own words. */
export function guardLeaving(ask: Ask): () => void {
  guards.add(ask);
  if (guards.size === 1) window.addEventListener("beforeunload", onUnload);
  return () => {
    guards.delete(ask);
    if (guards.size === 0) window.removeEventListener("beforeunload", onUnload);
  };
}

export const isGuarded = () => guards.size > 0;

/** Whether the page may be left: every guard was asked and agreed. */
export async function mayLeave(leaving: Leaving): Promise<boolean> {
  for (const ask of [...guards]) if (!(await ask(leaving))) return false;
  return true;
}

/** Whoever has signed out has nothing left to be asked about. */
export function dropGuards(): void {
  guards.clear();
  window.removeEventListener("beforeunload", onUnload);
}

function onUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
