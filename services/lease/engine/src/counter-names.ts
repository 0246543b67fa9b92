import { DHCP4_COUNTERS } from "./dhcp4/outcomes.ts";
import { DHCP6_COUNTERS } from "./dhcp6/outcomes.ts";
import { LOOP_COUNTERS } from "./loop/counters.ts";

/** Everything that is counted; both threads know the same places. */
export const COUNTERS: readonly string[] = [...LOOP_COUNTERS, ...DHCP4_COUNTERS, ...DHCP6_COUNTERS];
