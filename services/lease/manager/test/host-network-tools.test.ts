import { test } from "node:test";
import { NETWORK_TOOLS } from "../src/domain/host-network.ts";
import { onOwnMachine } from "./own-machine.ts";

for (const tool of NETWORK_TOOLS)
  test(
    `${tool} itself sets an address that is tried out, takes it back, and keeps it over its restart once it is confirmed; all else stays`,
    {
      timeout: 300_000,
    },
    (t) => onOwnMachine(t, tool, "host-network-journey.ts"),
  );
