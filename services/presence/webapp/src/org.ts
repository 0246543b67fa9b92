import { createContext, use } from "react";
import type { Board, Member, Role, Status } from "./shapes.ts";

/** The organisation whose pages are shown. */
export interface OrgPages {
  readonly org: string;
  readonly board: Board;
}

export const OrgContext = createContext<OrgPages | undefined>(undefined);

export function useOrg(): OrgPages {
  const pages = use(OrgContext);
  if (!pages) throw new Error("useOrg needs the frame of an organisation around it");
  return pages;
}

/** Its short name alone: what needs no more is not drawn anew with every change of the board. */
export const SlugContext = createContext("");
export const useSlug = (): string => use(SlugContext);

export function useMyself(): Member | undefined {
  const { board } = useOrg();
  return board.members.find(({ id }) => id === board.me.id);
}

const RANKS: Readonly<Record<Role, number>> = { member: 0, reception: 1, admin: 2 };
export const mayActAs = (mine: Role, wanted: Role) => RANKS[mine] >= RANKS[wanted];

const UNKNOWN = { emoji: "", kind: "away", defaultMinutes: null, isDefault: false } as const;
const GREYS = { color: "#68645c", lightColor: "#68645c", darkColor: "#a0aaa4" } as const;

/** What a status is; one that was removed a moment ago shows its key. */
export const statusOf = (statuses: readonly Status[], key: string): Status =>
  statuses.find((status) => status.key === key) ?? { key, label: key, ...UNKNOWN, ...GREYS };
