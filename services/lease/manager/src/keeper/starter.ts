import { startKeeper } from "./start-keeper.ts";

/**
 * Stays root beside a manager that gives root up, and starts a keeper when the manager asks: one that replaces another
 * has its rights then. What it starts is fixed by its own command line; it listens to nobody else, and ends with the
 * manager.
 */
const words = process.argv.slice(2);
let isStarting = false;

process.on("message", async () => {
  if (isStarting) return;
  isStarting = true;
  const isStarted = await startKeeper(words).then(
    () => true,
    () => false,
  );
  isStarting = false;
  process.send?.({ isStarted }, () => {});
});
process.on("disconnect", () => process.exit(0));
// Whoever ends all processes of a service ends the manager too, which may need this one until then.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
process.send?.("ready");
