import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { basename, join } from "node:path";

/** `npm run bench -- NAME`: one program per benchmark, each beside its peer and its limit. */
const OURS = new Set(["run"]);
const names = globSync("*.ts", { cwd: import.meta.dirname })
  .map((file) => basename(file, ".ts"))
  .filter((name) => !OURS.has(name))
  .sort();

const [name, ...words] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  console.log(`npm run bench -- <name>, where the name is one of: ${names.join(", ")}`);
  process.exit(name === undefined ? 0 : 1);
}
const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...words], {
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => process.exit(code ?? 1));
