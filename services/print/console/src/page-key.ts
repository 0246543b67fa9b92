import { browserStorage } from "@frontdesk/ui/storage";

const PLACE = "frontdesk-print-page-key";

/**
 * The half of the session that only pages of this very address have. A cookie goes to every port of the machine;
 * this is kept by the browser for one port, so that what another local server receives opens nothing.
 */
export const pageKey = {
  keep: (key: string) => browserStorage.set(PLACE, key),
  forget: () => browserStorage.remove(PLACE),
  headers: (): Record<string, string> => {
    const key = browserStorage.get(PLACE);
    return key ? { "x-frontdesk-page-key": key } : {};
  },
  /** For events and pictures, with which no header can be sent. */
  inAddress: (path: string): string => {
    const key = browserStorage.get(PLACE);
    return key ? `${path}${path.includes("?") ? "&" : "?"}page_key=${encodeURIComponent(key)}` : path;
  },
};
