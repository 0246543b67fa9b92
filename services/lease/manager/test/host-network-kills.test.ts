import { test } from "node:test";
import { onOwnMachine } from "./own-machine.ts";

test(
  "an address on trial is taken back after kill -9 of the keeper, or of all as by a power cut; one that is confirmed stays",
  {
    timeout: 600_000,
  },
  (t) => onOwnMachine(t, "ifupdown", "host-network-kills.ts"),
);
