import { StartProblem } from "@frontdesk/kit/problem";
import { parseNewConfig } from "@frontdesk/lease-config/validate";
import { loadConfigFile } from "./config/config-file.ts";
import { ipv4 } from "./leases/address-family.ts";
import { poolSize } from "./leases/pool-space.ts";

/** `npx frontdesk lease config check <file>` */
const [path] = process.argv.slice(2);
if (!path) {
  console.error("Which file? npx frontdesk lease config check <file>");
  process.exitCode = 2;
} else {
  try {
    const { config } = loadConfigFile(path, parseNewConfig);
    const addresses = config.pools.reduce((sum, pool) => sum + poolSize(ipv4, pool), 0);
    console.log(`${path} is right: ${config.subnets.length} subnets, ${addresses} addresses in pools.`);
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
