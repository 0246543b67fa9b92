const LOOK_EVERY_MS = 500;

/**
 * npx runs a command through a shell, and a SIGTERM to npx ends that shell but reaches nothing below it:
 * a launcher whose shell is gone stops as if the signal had come to itself.
 */
export function stopWhenOrphaned() {
  if (process.env.npm_command !== "exec") return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, LOOK_EVERY_MS);
  timer.unref();
}
