import { DeviceNetwork } from "../src/loop/device-network.ts";
import { inetName, openSockets } from "../src/loop/device-socket.ts";
import { AF_INET, libc, SO_SNDBUF, SOCK_DGRAM, setOption } from "../src/loop/libc.ts";
import { MessageVector, NAME } from "../src/loop/message-vector.ts";

/** Runs inside a test's network: `first-round <interfaces>` or `send-unanswered <address>`. */
const [what, ...words] = process.argv.slice(2);
if (what === "first-round") firstRound(words);
else if (what === "send-unanswered") sendUnanswered(words[0] as string);

/** Opens the interfaces, waits for a line, and tells how many packets of each the first round holds. */
function firstRound(interfaces: string[]): void {
  const { devices, echo } = openSockets(interfaces, false);
  console.log("open");
  process.stdin.once("data", () => {
    const network = new DeviceNetwork(devices, echo, -1, () => {});
    void network.run({
      packets: (round) => {
        const counts = Object.groupBy(round, ({ ingress }) => ingress.interfaceName);
        console.log(
          JSON.stringify(
            Object.fromEntries(Object.entries(counts).map(([name, all]) => [name, all?.length])),
          ),
        );
        network.stop();
        process.exit(0);
      },
      answered: () => {},
      tick: () => {},
      called: () => {},
      patience: () => Number.POSITIVE_INFINITY,
      probing: () => false,
      interfacesChanged: () => {},
    });
  });
}

/** Sends more than the socket's buffer holds to an address that nobody answers for, and tells what the system said. */
function sendUnanswered(address: string): void {
  const fd = libc().socket(AF_INET, SOCK_DGRAM, 0);
  setOption(fd, SO_SNDBUF, 4096);
  const count = 64;
  const vector = new MessageVector(count, 1024);
  const octets = address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
  for (let i = 0; i < count; i++) {
    vector.names.set(inetName(octets, 68), i * NAME);
    vector.fill(i, 1024, 16, 0);
  }
  const codes: string[] = [];
  vector.send(fd, count, (_, code) => codes.push(code));
  console.log(JSON.stringify(codes));
}
