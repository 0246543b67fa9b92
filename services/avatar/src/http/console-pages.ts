/** The pages of the console. */
export const CONSOLE_PAGES = [
  "/",
  "/sign-in",
  "/editor",
  "/upload",
  "/photo",
  "/emails",
  "/security",
  "/use",
  "/admin",
  "/help",
];
