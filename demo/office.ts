/** The people of the example office, and what they have to do. Nobody is real; nobody's mail goes anywhere. */

export interface Person {
  readonly email: string;
  readonly name: string;
  readonly status: string;
  /** The style of the face they have chosen; the others have the one that is drawn for them. */
  readonly face?: string;
}

/** The administrator, whom presence makes at its first start. */
export const YOU = "you@example.org";

export const PEOPLE: readonly Person[] = [
  { email: "ada@example.org", name: "Ada Lovelace", status: "focus", face: "avataaars" },
  { email: "grace@example.org", name: "Grace Hopper", status: "in-meeting", face: "personas" },
  { email: "alan@example.org", name: "Alan Turing", status: "remote", face: "bottts" },
  { email: "hedy@example.org", name: "Hedy Lamarr", status: "in-office", face: "avataaars" },
  { email: "katherine@example.org", name: "Katherine Johnson", status: "in-office" },
  { email: "linus@example.org", name: "Linus Pauling", status: "vacation" },
  { email: "mary@example.org", name: "Mary Somerville", status: "remote" },
  { email: "nikola@example.org", name: "Nikola Tesla", status: "away" },
];

/** Between these they change while the demo runs. */
export const STATUSES = ["available", "in-office", "remote", "in-meeting", "focus", "away"] as const;

export const TODOS: ReadonlyArray<{ readonly email: string; readonly text: string }> = [
  { email: YOU, text: "Show the new colleague around" },
  { email: YOU, text: "Order paper for the label printer" },
  { email: "ada@example.org", text: "Return the projector to the storage room" },
  { email: "grace@example.org", text: "Find the moth in the relay" },
  { email: "hedy@example.org", text: "Ship parcel 1942 to Vienna" },
];

const label = (title: string, code: string) =>
  `^XA^PW600^LL300^FO40,40^A0N,60,60^FD${title}^FS^FO40,130^BY3^BCN,90,Y,N,N^FD${code}^FS^XZ`;

/** In ZPL, as a page of a shop or a warehouse would send them. */
export const LABELS: readonly string[] = [
  label("Parcel to Vienna", "PKG-1942"),
  label("Shelf 7, box 3", "LOC-7-3"),
  label("Visitor: Linus", "VIS-0042"),
];
