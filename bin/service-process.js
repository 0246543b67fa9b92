import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { readableLogLine } from "./log-line.js";
import { root } from "./places.js";

const LAST_LINES = 15;
const STOP_LIMIT_MS = 15_000;

/**
 * One process of a service. It speaks through the IPC channel: {ready: [[label, value], …]} when it
 * answers, {problem: sentence} when it cannot start. It stops by itself when the channel closes.
 */
export class ServiceProcess {
  #child;
  #name;
  #problem;
  #lastLines = [];

  constructor({ name, node, main, env, identity }) {
    this.#name = name;
    const child = spawn(node, [main], {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // Its own process group: Ctrl-C reaches the launcher alone, which then stops it in order.
      detached: process.platform !== "win32",
      ...identity,
    });
    this.#child = child;
    const read = [child.stdout, child.stderr].map((input) => {
      const lines = createInterface({ input }).on("line", (line) => this.#show(readableLogLine(name, line)));
      return new Promise((resolve) => lines.once("close", resolve));
    });
    /** Resolves with the announcement; never, where the process ends before it answers. */
    this.ready = new Promise((resolve) => {
      child.on("message", (message) => {
        if (message.problem) this.#problem = message.problem;
        if (message.ready) resolve(message.ready);
      });
    });
    this.ended = new Promise((resolve) => {
      // Not "close", which never comes where the channel was closed from here.
      child.on("exit", (code, signal) => Promise.all(read).then(() => resolve({ code, signal })));
      child.on("error", (error) => {
        this.#problem ??= error.message;
        if (child.pid === undefined) resolve({ code: 1, signal: null });
      });
    });
  }

  stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    // Windows has no SIGTERM that a process could hear: there the closed channel says it.
    if (process.platform === "win32") this.#child.disconnect();
    else this.#child.kill("SIGTERM");
    setTimeout(() => this.#child.kill("SIGKILL"), STOP_LIMIT_MS).unref();
  }

  epitaph({ code, signal }) {
    if (this.#problem) return `${this.#name} could not start: ${this.#problem}`;
    const how = signal ? `was ended by ${signal}` : `stopped with exit code ${code}`;
    return [`${this.#name} ${how}. Its last lines:`, ...this.#lastLines.map((line) => `  ${line}`)].join(
      "\n",
    );
  }

  #show(line) {
    console.log(line);
    this.#lastLines.push(line);
    if (this.#lastLines.length > LAST_LINES) this.#lastLines.shift();
  }
}
