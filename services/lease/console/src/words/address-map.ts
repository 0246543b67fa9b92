export const t = {
  show: "Show the address map",
  hide: "Hide the address map",
  showNamed: (subnet: string) => `Show the address map of ${subnet}`,
  mapOf: (subnet: string) => `Addresses of ${subnet}`,
  range: (first: string, last: string) => `${first} – ${last}`,
  whole: "The whole subnet",
  aboutBlocks:
    "Each cell is a block of addresses, darker the more of them are held; with a line where a pool has addresses, a thick one where some are reserved. A block opens.",
  aboutAddresses:
    "Each cell is an address: filled where it is held, with a line where a pool has it, a thick one where it is reserved, red in quarantine. A held one leads to its lease.",
  block: (first: string) => `From ${first}`,
  held: "held",
  free: "free",
  declined: "in quarantine",
  reserved: "reserved",
  outside: "in no pool",
  heldOf: { one: "# held", other: "# held" },
  inPools: { one: "# in pools", other: "# in pools" },
  reservedOf: { one: "# reserved", other: "# reserved" },
  declinedOf: { one: "# in quarantine", other: "# in quarantine" },
} as const;
