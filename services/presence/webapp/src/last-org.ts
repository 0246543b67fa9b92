import { browserStorage } from "@frontdesk/ui/storage";

const PLACE = "presence-org";

/** The organisation that was shown last in this browser. */
export const lastOrg = {
  get: (): string | undefined => browserStorage.get(PLACE),
  set: (org: string): void => browserStorage.set(PLACE, org),
  forget: (): void => browserStorage.remove(PLACE),
};
