const PLACE = "presence-org";

/** The organisation that was shown last in this browser. */
export const lastOrg = {
  get: (): string | undefined => {
    try {
      return localStorage.getItem(PLACE) ?? undefined;
    } catch {
      // Storage that is shut off: the page asks.
      return undefined;
    }
  },
  set: (org: string): void => {
    try {
      localStorage.setItem(PLACE, org);
    } catch {
      // As above.
    }
  },
};
