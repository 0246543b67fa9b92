/** So many looks in a row at which nothing had moved, after the first. */
const STILL_LOOKS = 3;

/**
 * Whether a device has taken nothing for a while, asked at each look. One that takes a large job slowly is not stopped,
 * nor is one that takes the next piece when a label is out.
 */
export function createStandstill(progress: () => Promise<string>): () => Promise<boolean> {
  let before: string | undefined;
  let still = 0;
  return async () => {
    const now = await progress();
    still = now === before ? still + 1 : 0;
    before = now;
    return still >= STILL_LOOKS;
  };
}
