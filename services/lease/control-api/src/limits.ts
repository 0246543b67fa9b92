/** Names of each kind that one request of a reconcile run takes. */
export const MAX_RECONCILED = 1000;
