import { ApiError } from "@frontdesk/ui";
import { orders, type SeenLease } from "./api.ts";

const AT_ONCE = 4;

/**
 * Releases leases one by one; answers how many, and how many were left because they are not what was seen any more. One that has
 * ended by itself meanwhile is none.
 */
export async function releaseEach(leases: readonly SeenLease[]): Promise<{ released: number; left: number }> {
  const waiting = [...leases];
  let released = 0;
  let left = 0;
  const run = async () => {
    for (let lease = waiting.shift(); lease !== undefined; lease = waiting.shift()) {
      try {
        await orders.release(lease);
        released++;
      } catch (error) {
        const code = error instanceof ApiError ? error.code : "";
        if (code === "lease_changed") left++;
        else if (code !== "no_lease") throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return { released, left };
}
