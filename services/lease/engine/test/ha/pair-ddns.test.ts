import { test } from "node:test";
import { formatIpv4, textBytes, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { until } from "@frontdesk/testkit/until";
import { startBind } from "../bind.ts";
import { ask, section } from "../ddns-desk.ts";
import { FORWARD } from "../dns-server.ts";
import { LabClients } from "../lab-clients.ts";
import { labPair, leasectl, NETWORK } from "./lab-pair.ts";

const MAC = "02:00:00:00:00:01";
const SAID: Array<[number, Uint8Array]> = [[CODE.hostName, textBytes("anna")]];

test("a name that was on its way when the primary was lost comes to DNS by the secondary that takes over", {
  timeout: 240_000,
}, async (t) => {
  const bind = await startBind(t);
  if (!bind) return;
  const { a, b } = await labPair(t, { network: `${section(bind)}${NETWORK}` });
  const clients = await LabClients.open(a.port);
  t.after(() => clients.close());
  await bind.stop();
  let ip = 0;
  await until("the client has a lease", async () => {
    ip = (await clients.ask(TYPE.discover, MAC, SAID))?.ip ?? 0;
    const taken: typeof SAID = [
      [CODE.requestedAddress, u32Bytes(ip)],
      [CODE.serverIdentifier, u32Bytes(0x7f000001)],
    ];
    return (await clients.ask(TYPE.request, MAC, [...SAID, ...taken]))?.type === TYPE.ack;
  });
  const address = formatIpv4(ip);
  await until("the secondary counts the name as the primary's", async () => {
    const { items } = await ask(b, "/v1/leases?state=active&limit=10");
    return items.length === 1 && items[0].ddns?.state === "kept";
  });
  await a.kill("SIGKILL");
  await bind.start();
  /** A busy machine may not answer in time: it is asked again. */
  const says = (name: string, type: string, data: string | undefined) => {
    try {
      return bind.ask(name, type)[0] === data;
    } catch {
      return false;
    }
  };
  const name = `anna.${FORWARD}`;
  await until("DNS says that the primary did not bring it", () => says(name, "A", undefined));
  await until("the secondary takes over", async () => (await leasectl(b, "ha", "partner-down")).code === 0);
  await until("the name is there", () => says(name, "A", address));
  const reverse = `${address.split(".").reverse().join(".")}.in-addr.arpa`;
  await until("so is the way back", () => says(reverse, "PTR", `${name}.`));
});
