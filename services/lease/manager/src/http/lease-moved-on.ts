import { DomainError } from "@frontdesk/kit/domain-error";
import { REFUSALS } from "@frontdesk/lease-control-api/schemas";
import type { Static } from "typebox";
import type { LeaseView } from "./schemas.ts";

/** Another device has the address, or something else is said of it, since the caller has seen it. */
export class LeaseMovedOn extends DomainError<"lease_changed"> {
  readonly current: Static<typeof LeaseView>;

  constructor(current: Static<typeof LeaseView>) {
    super("lease_changed", REFUSALS.lease_changed);
    this.current = current;
  }
}
