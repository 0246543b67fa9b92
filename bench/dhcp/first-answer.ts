import { writeU32 } from "@frontdesk/lease-options/address";
import { TYPE } from "@frontdesk/lease-options/option-table";
import { decodeMessage } from "../../services/lease/engine/src/dhcp4/message.ts";
import { inetName } from "../../services/lease/engine/src/loop/device-socket.ts";
import { AF_INET } from "../../services/lease/engine/src/loop/libc.ts";
import { packetOf } from "../../services/lease/engine/test/desk.ts";
import { LoadSocket } from "./load-socket.ts";

/** Asks a server for new clients, one every few milliseconds, until it offers something; tells when that was. */
const [server = "", own = "", first = "", seconds = ""] = process.argv.slice(2);
const EVERY_MS = 5;
const now = () => performance.timeOrigin + performance.now();
const address = (text: string) => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const socket = new LoadSocket(AF_INET, inetName(address(own), 67), inetName(address(server), 67));
const discover = packetOf(TYPE.discover, { mac: "02:00:00:00:00:00", giaddr: own });

const until = now() + Number(seconds) * 1000;
let answeredAt: number | null = null;
for (let n = Number(first); answeredAt === null && now() < until; n++) {
  const sent = socket.put(discover);
  writeU32(sent, 4, n);
  writeU32(sent, 30, n);
  socket.flush();
  socket.wait(EVERY_MS);
  socket.receive((bytes) => {
    const message = decodeMessage(bytes);
    if (!("malformed" in message) && message.type === TYPE.offer) answeredAt ??= now();
  });
}
console.log(JSON.stringify({ answeredAt }));
