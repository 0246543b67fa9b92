import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readableLogLine } from "./log-line.js";
import { home, root } from "./places.js";
import { services } from "./services.js";

const LAST_LINES = 15;
const STOP_LIMIT_MS = 15_000;
/** A terminal and npm both pass one Ctrl-C on; a second within this time is the same one. */
const SAME_KEYPRESS_MS = 1_000;

/**
 * Runs the services until one ends or a person stops them; answers with the exit code.
 * A service speaks through the IPC channel: {ready: [[label, value], …]} when it answers,
 * {problem: sentence} when it cannot start. It stops by itself when the channel closes.
 */
export async function supervise(names, node) {
  const running = names.map((name) => startService(name, node));
  Promise.all(running.map((service) => service.ready)).then(() => console.log(table(running)));

  const broken = await Promise.race([stopRequest(), ...running.map((service) => service.ended)]);
  for (const service of running) service.stop();
  const ends = await Promise.all(running.map((service) => service.ended));
  if (broken) console.error(epitaph(broken));
  return broken || ends.some(({ code }) => code !== 0) ? 1 : 0;
}

function startService(name, node) {
  const child = spawn(node, [join(root, services[name].main)], {
    cwd: root,
    env: { ...process.env, FRONTDESK_HOME: home() },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Its own process group: Ctrl-C reaches the launcher alone, which then stops it in order.
    detached: process.platform !== "win32",
  });
  const lastLines = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      const readable = readableLogLine(name, line);
      console.log(readable);
      lastLines.push(readable);
      if (lastLines.length > LAST_LINES) lastLines.shift();
    });
  }
  const service = { name, announcement: [], problem: undefined, lastLines };
  service.ready = new Promise((resolve) => {
    child.on("message", (message) => {
      if (message.problem) service.problem = message.problem;
      if (message.ready) {
        service.announcement = message.ready;
        resolve();
      }
    });
  });
  service.ended = new Promise((resolve) => {
    child.on("close", (code, signal) => resolve({ service, code, signal }));
  });
  service.stop = () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS).unref();
  };
  return service;
}

function stopRequest() {
  return new Promise((resolve) => {
    let firstAt;
    const onSignal = () => {
      if (firstAt && Date.now() - firstAt > SAME_KEYPRESS_MS) process.exit(1);
      if (!firstAt) console.log("\nStopping …");
      firstAt ??= Date.now();
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, onSignal);
  });
}

function table(running) {
  const rows = running.flatMap(({ name, announcement }) =>
    announcement.map(([label, value], index) => [index === 0 ? name : "", label, value]),
  );
  const width = (column) => Math.max(...rows.map((row) => row[column].length));
  const lines = rows.map((row) => `  ${row[0].padEnd(width(0))}  ${row[1].padEnd(width(1))}  ${row[2]}`);
  return ["", "Frontdesk is running. Ctrl-C stops it.", "", ...lines, ""].join("\n");
}

function epitaph({ service, code, signal }) {
  if (service.problem) return `${service.name} could not start: ${service.problem}`;
  const how = signal ? `was ended by ${signal}` : `stopped with exit code ${code}`;
  return [`${service.name} ${how}. Its last lines:`, ...service.lastLines.map((line) => `  ${line}`)].join(
    "\n",
  );
}
