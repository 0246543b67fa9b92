import { createContext } from "react";

/** Whether the page may be seen: not while nobody is signed in. What is drawn outside the page's own place asks for it. */
export const IsShown = createContext(true);
