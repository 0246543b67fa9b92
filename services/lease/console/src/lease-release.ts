import { ApiError } from "@frontdesk/ui";
import { orders } from "./api.ts";

const AT_ONCE = 4;

/** Releases leases one by one; answers how many. One that has ended by itself meanwhile is none. */
export async function releaseEach(ips: readonly string[]): Promise<number> {
  const left = [...ips];
  let released = 0;
  const run = async () => {
    for (let ip = left.shift(); ip !== undefined; ip = left.shift()) {
      try {
        await orders.release(ip);
        released++;
      } catch (error) {
        if (!(error instanceof ApiError && error.code === "no_lease")) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return released;
}
