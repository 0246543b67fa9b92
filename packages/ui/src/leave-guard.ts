type Ask = () => Promise<boolean>;

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
export async function mayLeave(): Promise<boolean> {
  for (const ask of [...guards]) if (!(await ask())) return false;
  return true;
}

function onUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
