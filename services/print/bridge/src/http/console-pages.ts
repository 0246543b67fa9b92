/** The pages of the console. */
export const CONSOLE_PAGES = [
  "/",
  "/printers",
  "/printers/:id",
  "/jobs",
  "/jobs/:id",
  "/templates",
  "/templates/:id",
  "/origins",
  "/certificate",
  "/settings",
  "/audit",
  "/log",
  "/help",
];
