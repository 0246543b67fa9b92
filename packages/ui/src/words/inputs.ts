export const t = {
  oneFileAtATime: (files: number) =>
    `These are ${files} files, and one is wanted. Take the one that you mean.`,
  fileIsTooLarge: (name: string, size: string, limit: string) =>
    `${name} is too large: it has ${size}, and ${limit} is the limit.`,
  atMost: (limit: string) => `(at most ${limit})`,
  clear: (label: string) => `Clear ${label}`,
  anIpAddressIsShorterThan: "An IP address is shorter than that.",
  anIpv4AddressIsWantedLike: "An IPv4 address is wanted, like 10.0.0.20.",
  anIpv6AddressIsWantedLike: "An IPv6 address is wanted, like fd77::20.",
  aPrefixEndsWithItsLength: "A prefix is an IPv6 address with its length, like fd77:1::/48.",
  anIpv4AddressHasFourNumbers: "An IPv4 address has four numbers, like 10.0.0.20.",
  eachNumberIsFrom0To: (wrong: string) => `Each number is from 0 to 255, not "${wrong}".`,
  anIpv6AddressHasAtMost: 'An IPv6 address has "::" at most once.',
  eachGroupIsUpToFour: (wrong: string) => `Each group is up to four of 0-9 and a-f, not "${wrong}".`,
  anIpv6AddressHasEightGroups: "An IPv6 address has eight groups, or fewer and one ::",
  aHardwareAddressHasPairs:
    "A hardware address has six pairs of 0-9 and a-f, like 02:00:5e:10:00:01, or eight of them.",
  isNowNumberOf: (name: string, place: number, length: number) =>
    `${name} is now number ${place} of ${length}.`,
  moveNumberOf: (name: string, place: number, length: number) => `Move ${name}, number ${place} of ${length}`,
  toTheTop: "To the top",
  oneUp: "One up",
  oneDown: "One down",
  toTheBottom: "To the bottom",
  asOfReconnecting: (value: string) => `as of ${value}, reconnecting`,
  timeInZone: (zone: string) => `Time in ${zone}`,
  timeInZoneInstead: (zone: string, unknown: string) =>
    `Time in ${zone}: this browser does not know ${unknown}`,
  timeInZoneAndYours: (zone: string, yours: string) => `Time in ${zone}; yours: ${yours}`,
} as const;
