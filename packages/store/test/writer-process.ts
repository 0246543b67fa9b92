import { writeSync } from "node:fs";
import { systemClock } from "@frontdesk/kit/clock";
import { openStore } from "@frontdesk/store/open-store";
import { type SampleTables, sampleMigrations } from "./sample-tables.ts";

/** Writes notes from several writers at once, and prints the number of each once it is acknowledged. */
const [url = "", first = "0"] = process.argv.slice(2);
const store = await openStore<SampleTables>({
  url: new URL(url),
  migrations: sampleMigrations,
  clock: systemClock,
});
let next = Number(first);

async function writeForever(): Promise<never> {
  for (;;) {
    const id = next++;
    await store.write((tx) =>
      tx
        .insertInto("notes")
        .values({ id, text: "x".repeat(200) })
        .execute(),
    );
    writeSync(1, `${id}\n`);
  }
}
await Promise.all(Array.from({ length: 16 }, writeForever));
