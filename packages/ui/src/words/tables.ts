export const t = {
  searching: "Searching …",
  ticked: { one: "# ticked", other: "# ticked" },
  tickAllRowsThatAreLoaded: "Tick all rows that are loaded",
  tick: (name: string) => `Tick ${name}`,
  andMore: (value: string) => `${value} and more`,
  rows: { one: "# row", other: "# rows" },
  nothingFits: "Nothing fits",
  nothingHereYet: "Nothing here yet",
  changeOrClearWhatIsSearched: "Change or clear what is searched for.",
} as const;
