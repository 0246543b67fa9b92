const LEVELS = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal" };
const KNOWN = new Set(["level", "time", "pid", "hostname", "service", "msg", "err"]);

/** Turns a service's structured log line into one for people; anything else passes as it is. */
export function readableLogLine(service, line) {
  let entry;
  try {
    entry = JSON.parse(line);
  } catch {
    return `${service}  ${line}`;
  }
  if (typeof entry?.level !== "number") return `${service}  ${line}`;
  const time = new Date(entry.time).toTimeString().slice(0, 8);
  const details = Object.entries(entry)
    .filter(([key]) => !KNOWN.has(key))
    .map(([key, value]) => ` ${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const error = entry.err ? `\n${entry.err.stack ?? entry.err.message}` : "";
  return `${time} ${service}  ${LEVELS[entry.level] ?? entry.level}  ${entry.msg ?? ""}${details.join("")}${error}`;
}
