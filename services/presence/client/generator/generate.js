import { readFileSync } from "node:fs";
import { createClient } from "@hey-api/openapi-ts";

/** `node generate.js <folder> < openapi.json`: writes the client for the document into the folder. */
const [path] = process.argv.slice(2);
await createClient({
  input: JSON.parse(readFileSync(0, "utf8")),
  logs: { level: "silent", file: false },
  output: {
    path,
    module: { extension: ".ts" },
    header: ({ defaultValue }) => [
      // Its own code is not written for exactOptionalPropertyTypes; the types that it exports hold all the same.
      "// @ts-nocheck",
      ...defaultValue,
    ],
  },
  plugins: [
    "@hey-api/typescript",
    { name: "@hey-api/sdk", operations: { strategy: "single", containerName: "PresenceApi" } },
    { name: "@hey-api/client-fetch", baseUrl: false, throwOnError: true },
  ],
});
