export const t = {
  names: "Names in DNS",
  about:
    "Somebody may have edited a zone or restored a backup, and a DHCP server that is gone may have left its names. Comparing changes nothing.",
  compare: "Compare with DNS",
  comparedUpTo: (place: string) => `Compared up to ${place} …`,
  removedSoFar: (count: string) => `${count} removed …`,
  same: "DNS has what it shall have.",
  toDo: "To do",
  remove: "Remove",
  add: "Add",
  name: "Name",
  address: "Address",
  why: "Why",
  nobodyHasIt: "Nobody has the address",
  missingForward: "The A or AAAA record is missing",
  missingReverse: "The PTR record is missing",
  more: (count: string) => `And ${count} more.`,
  putRight: "Put it right",
  askTitle: "Change DNS as shown?",
  askBody:
    "What is stale is removed while nobody has got the address meanwhile and the record is still the one that was shown. What is missing is sent again.",
  change: "Change DNS",
  isDone: (removed: string, restored: string) =>
    `Removed: ${removed}. On their way to DNS again: ${restored}.`,
  left: "These were left as they are",
} as const;
