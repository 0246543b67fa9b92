import { browserStorage } from "./storage.ts";

const PLACE = "frontdesk-signed-in";

/** What this browser knew last: somebody is signed in, the session ended, or the person signed out. */
export type SignedIn = "yes" | "no" | "left";

/** Whether somebody is signed in, as the tabs of this browser tell each other. It decides what is fetched ahead and what stays on the screen, never what the server gives. */
export const signedInBefore = {
  get: (): SignedIn => (browserStorage.get(PLACE) as SignedIn | undefined) ?? "no",
  set: (known: SignedIn): void => browserStorage.set(PLACE, known),
  /** Tells when another tab has learnt that somebody signed in or out, also if this page was put away meanwhile. */
  onChangeElsewhere: (listener: () => void): void => {
    if (typeof window === "undefined") return;
    window.addEventListener("storage", ({ key }) => {
      if (key === PLACE) listener();
    });
    window.addEventListener("pageshow", ({ persisted }) => {
      if (persisted) listener();
    });
  },
};
