import { browserTabs } from "@frontdesk/ui";
import type { StreamParts } from "./shared-stream.ts";

/** The stream's parts as a browser has them. */
export const browserStream: StreamParts = {
  open: (url, kinds, { onOpen, onEvent, onError }) => {
    const source = new EventSource(url);
    source.onopen = onOpen;
    source.onerror = () => onError(source.readyState === EventSource.CLOSED);
    for (const kind of kinds) {
      source.addEventListener(kind, ({ data, lastEventId }) =>
        onEvent({ kind, data: JSON.parse(data), id: ORDERLESS.has(kind) ? undefined : placeOf(lastEventId) }),
      );
    }
    return source;
  },
  ...browserTabs,
};

/** They carry the id of the event before them. */
const ORDERLESS: ReadonlySet<string> = new Set(["hello", "changed", "revised", "revoked", "alive"]);

const placeOf = (id: string) => (/^\d+$/.test(id) ? Number(id) : undefined);
