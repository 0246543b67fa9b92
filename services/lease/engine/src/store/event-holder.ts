import { EVENT_TYPES, type EventType } from "@frontdesk/lease-control-api/event-types";

/** What a packet asked for and did not get: it changes no holder, and names whatever address the packet names. */
const REFUSED: readonly EventType[] = ["nak", "refusal"];

export const tellsHolder = (type: EventType) => !REFUSED.includes(type);

/** The same as a condition of a query. */
export const TELLS_HOLDER = `type NOT IN (${REFUSED.map((type) => EVENT_TYPES.indexOf(type)).join(", ")})`;
