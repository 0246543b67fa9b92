const LEVELS = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal" };
const KNOWN = new Set(["level", "time", "pid", "hostname", "service", "msg", "err"]);

/** Turns a service's structured log line into one for people; anything else passes as it is, where it can be seen. */
export function readableLogLine(service, line) {
  let entry;
  try {
    entry = JSON.parse(line);
  } catch {
    return `${service}  ${visible(line)}`;
  }
  if (typeof entry?.level !== "number") return `${service}  ${visible(line)}`;
  const time = new Date(entry.time).toTimeString().slice(0, 8);
  const details = Object.entries(entry)
    .filter(([key]) => !KNOWN.has(key))
    .map(([key, value]) => ` ${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const words = visible(`${entry.msg ?? ""}${details.join("")}`);
  const error = entry.err ? indented(String(entry.err.stack ?? entry.err.message)) : "";
  return `${time} ${service}  ${LEVELS[entry.level] ?? entry.level}  ${words}${error}`;
}

/** Below its line, and set in: what others sent may stand in an error, and must not pass for a line of the log. */
const indented = (stack) =>
  stack
    .split("\n")
    .map((line) => `\n  ${visible(line)}`)
    .join("");

/** Logs tell what others sent: what would drive a terminal, begin a line of its own or turn others around is shown by its number. */
const visible = (text) =>
  text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
