import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { domainToASCII } from "node:url";

/** Long enough to be looked at; what a mail tells, a code for one, is good for less. */
const MAX_AGE_MS = 7 * 24 * 3_600_000;

/** A folder of mails that nobody sends. They are about people, so they do not stay. */
export function createOutbox(folder: string) {
  async function files(): Promise<string[]> {
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => name.endsWith(".eml")).map((name) => join(folder, name));
  }

  /** What is gone meanwhile was removed by somebody else. */
  const unlessGone = <T>(asked: Promise<T>) => asked.catch(() => undefined);

  return {
    /** Answers with the path of the file. */
    async write(name: string, bytes: Uint8Array): Promise<string> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${name}.eml`);
      await writeFile(file, bytes, { mode: 0o600 }).catch(async (error) => {
        // A full disk leaves the beginning of a mail, or none of it.
        await rm(file, { force: true });
        throw error;
      });
      for (const old of await files()) {
        const written = await unlessGone(stat(old));
        if (written && Date.now() - written.mtimeMs > MAX_AGE_MS) await rm(old, { force: true });
      }
      return file;
    },

    async deleteTo(address: string): Promise<void> {
      for (const file of await files()) {
        const text = await unlessGone(readFile(file, "utf8"));
        if (text && recipients(text).includes(canonical(address))) await rm(file, { force: true });
      }
    },
  };
}

/** The addresses in the field To; a long one goes on in lines that begin with a space (RFC 5322, 2.2.3). */
function recipients(mail: string): string[] {
  const head = mail.split(/\r?\n\r?\n/, 1)[0] ?? "";
  const field = head
    .replace(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/)
    .find((line) => /^to:/i.test(line));
  return (field ?? "")
    .slice("to:".length)
    .split(/[\s,<>]+/)
    .map(canonical);
}

/** A domain of other letters may stand as it is, or in the letters of DNS. */
function canonical(address: string): string {
  const [local = "", domain = ""] = address.toLowerCase().split(/@(.*)/);
  return `${local}@${domainToASCII(domain)}`;
}
