import { DomainError } from "@frontdesk/kit/domain-error";
import { REFUSALS } from "@frontdesk/lease-control-api/schemas";
import type { Static } from "typebox";
import type { LeaseView } from "./schemas.ts";

/** What is said of a device was changed since the caller has seen it. */
export class LeaseMovedOn extends DomainError<"lease_changed"> {
  readonly current: Static<typeof LeaseView>;

  constructor(current: Static<typeof LeaseView>) {
    super("lease_changed", REFUSALS.lease_changed);
    this.current = current;
  }
}
