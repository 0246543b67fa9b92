import { count } from "@frontdesk/ui";

const SECONDS = { one: "# second", other: "# seconds" };

export const t = {
  printers: { one: "# printer", other: "# printers" },
  findPrinters: "Find printers",
  printersOnThisNetworkAndOn: "Printers on this network and on this machine that answer, ready to be added.",
  searchAgain: "Search again",
  looking: (seconds: number, printers: string) =>
    `Looking, for about ${count(seconds, SECONDS)} … ${printers} so far.`,
  found: (printers: string) => `${printers} found.`,
  printersThatWereFound: "Printers that were found",
  thereMayBeAPrinterHere: "There may be a printer here",
  serialPortsAndPrintersThat:
    "Serial ports, and printers that do not say how they take labels. Add one if you know what is behind it.",
  placesWhereAPrinterMayBe: "Places where a printer may be",
  moreAnsweredThanAreListed: "More answered than are listed here. Add the rest by their addresses.",
  didNotWork: (way: string) => `${way} did not work`,
  noPrinterAnswered: "No printer answered",
  isItSwitchedOnWithIts: "Is it switched on, with its cable in or its wireless network joined?",
  isItOnTheSameNetwork:
    "Is it on the same network as this machine? Guest networks and routers keep printers apart.",
  aFirewallOnThisMachineMust:
    "A firewall on this machine must let answers in: UDP 5353 for multicast DNS, and answers to UDP 4201 for Zebra printers.",
  addItByItsAddress: "add it by its address",
  dotsPerMm: (dpmm: number) => `${dpmm} dots per mm`,
  serial: (serial: string) => `serial ${serial}`,
  addNamed: (name: string) => `Add it: ${name}`,
  addIt: "Add it",
  addedWithoutBeingFound: "A printer whose address you know can be added without being found: {add}.",
  foundBy: (ways: string) => `Found by ${ways}`,
  foundSilent: (ways: string) => `Found by ${ways}; it does not say that it speaks a label language`,
  alreadyAddedAs: (name: string) => `Already added as ${name}`,
} as const;
