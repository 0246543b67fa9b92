/** Clocks of several copies differ: what one has taken is not free because it lasts a little longer by another's clock. */
export const MAX_SKEW_MS = 60_000;
