/** The addresses of the console's pages. */
export const CONSOLE_PAGES = [
  "/",
  "/dashboard",
  "/leases",
  "/activity",
  "/device",
  "/subnets",
  "/reservations",
  "/logs",
  "/users",
  "/settings",
  "/system",
  "/help",
];
