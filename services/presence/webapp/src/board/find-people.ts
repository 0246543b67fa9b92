import type { Board, Kind, Member, Status } from "../shapes.ts";

/** What a board shows. Empty: all. */
export interface PeopleFilter {
  readonly q: string;
  readonly kind: string;
  readonly group: string;
  readonly status: string;
}

/** What is asked for, without a group or status that is no more: an old bookmark would find nobody. */
export function knownFilter(
  filter: PeopleFilter,
  { members, statuses }: Pick<Board, "members" | "statuses">,
) {
  return {
    ...filter,
    group: members.some(({ group }) => group === filter.group) ? filter.group : "",
    status: statuses.some(({ key }) => key === filter.status) ? filter.status : "",
  };
}

const names = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });

/** As somebody would type it who has no accents on the keyboard. */
const plain = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** Members by name, each with what it is found by: made once for a board, not at every letter that is typed. */
export function searchable(members: readonly Member[], statuses: readonly Status[]) {
  const known = new Map(statuses.map((status) => [status.key, status]));
  return members
    .map((member) => {
      const status = known.get(member.status.status);
      const text = [member.name, member.group, status?.label ?? member.status.status, member.status.note];
      return { member, kind: status?.kind ?? "away", text: plain(text.filter(Boolean).join("\n")) };
    })
    .sort((one, other) => names.compare(one.member.name, other.member.name));
}

export type Searchable = ReturnType<typeof searchable>[number];

/** Those who fit all of it; each word that is searched for may be in another place. */
export function findPeople(people: readonly Searchable[], filter: PeopleFilter): Searchable[] {
  const words = plain(filter.q).split(/\s+/).filter(Boolean);
  return people.filter(
    ({ member, kind, text }) =>
      (filter.kind === "" || kind === filter.kind) &&
      (filter.group === "" || (member.group ?? "") === filter.group) &&
      (filter.status === "" || member.status.status === filter.status) &&
      words.every((word) => text.includes(word)),
  );
}

export function headCounts(people: readonly Searchable[]): Readonly<Record<Kind, number>> {
  const counts = { in: 0, away: 0, out: 0 };
  for (const { kind } of people) counts[kind]++;
  return counts;
}

export const groupsOf = ({ members }: Pick<Board, "members">): string[] =>
  [...new Set(members.flatMap(({ group }) => (group === null ? [] : [group])))].sort(names.compare);

export type Row =
  | { readonly kind: "group"; readonly name: string | null; readonly size: number }
  | { readonly kind: "person"; readonly member: Member };

/** The same people under the names of their groups; those without one come last. */
export function grouped(people: readonly Searchable[]): Row[] {
  const groups = Map.groupBy(people, ({ member }) => member.group);
  const order = [...groups.keys()].sort((one, other) =>
    one === null ? 1 : other === null ? -1 : names.compare(one, other),
  );
  return order.flatMap((name) => {
    const found = groups.get(name) ?? [];
    return [{ kind: "group", name, size: found.length } as const, ...asRows(found)];
  });
}

export const asRows = (people: readonly Searchable[]): Row[] =>
  people.map(({ member }) => ({ kind: "person", member }));
