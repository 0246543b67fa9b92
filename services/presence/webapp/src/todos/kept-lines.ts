import { draftOwner, forgetDraft, holdDraft, keepDraft, takeDraft } from "@frontdesk/ui/drafts";
import { guardLeaving } from "@frontdesk/ui/leave-guard";
import type { QueryClient } from "@tanstack/react-query";
import type { Line } from "./adding.ts";

export const NONE: readonly Line[] = [];

/** What could not be added, in each organisation, for as long as the same person is signed in. */
export const keyOf = (org: string) => ["todos-not-added", org] as const;
/** What is on its way, which a slow network may take long to answer. */
export const sendingIn = (org: string) => ["todos-sending", org] as const;
const draftOf = (org: string) => `presence ${org} not added`;

/**
 * Lines that could not be added yet. They are kept in the browser too: a reload, which the page itself proposes after an
 * upgrade, or a phone that ends the tab takes none of them.
 */
export function createKeptLines(queryClient: QueryClient) {
  for (const [name] of [keyOf(""), sendingIn("")])
    queryClient.setQueryDefaults([name], { gcTime: Number.POSITIVE_INFINITY });
  const linesOf = (org: string) => queryClient.getQueryData<readonly Line[]>(keyOf(org)) ?? NONE;
  /** On their way, by who sent them and where: whether they were added is not known yet. */
  const sent = new Map<string, readonly Line[]>();
  const senderIn = (org: string) => `${draftOwner()} ${org}`;
  const sentIn = (org: string) => sent.get(senderIn(org)) ?? NONE;
  /** The order in which they were typed: answers, and failures, may come in another one. */
  const places = new Map<string, number>();
  const inOrder = (lines: readonly Line[]) => {
    for (const { id } of lines) if (!places.has(id)) places.set(id, places.size);
    return lines.toSorted((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0));
  };
  const setSent = (org: string, sender: string, lines: readonly Line[]) => {
    sent.set(sender, lines);
    if (sender === senderIn(org)) queryClient.setQueryData(sendingIn(org), lines);
  };
  const keep = (org: string) => {
    const known = linesOf(org);
    const lines = inOrder([...known, ...without(sentIn(org), known)]);
    if (lines.length > 0) keepDraft(draftOf(org), { value: lines, base: "", from: NONE });
    else forgetDraft(draftOf(org));
  };
  const settle = (org: string, tried: readonly Line[], left: readonly Line[]) => {
    const others = without(linesOf(org), tried);
    if (left.length > 0 || others.length < linesOf(org).length)
      queryClient.setQueryData(keyOf(org), inOrder([...others, ...left]));
    keep(org);
  };
  return {
    /**
     * Lines are tried: a page that goes before the answer leaves them behind. What it returns is told which are left; when
     * whoever sent them has signed out meanwhile, they are nobody's any more.
     */
    begin: (org: string, lines: readonly Line[]): ((left: readonly Line[]) => void) => {
      const sender = senderIn(org);
      setSent(org, sender, inOrder([...sentIn(org), ...lines]));
      keep(org);
      return (left) => {
        setSent(org, sender, without(sent.get(sender) ?? NONE, lines));
        if (sender === senderIn(org)) settle(org, lines, left);
      };
    },
    /** These are wanted no more. */
    discard: (org: string, lines: readonly Line[]): void => settle(org, lines, NONE),
    /** Finds what was kept before the page was loaded; what it returns lets other tabs find it. */
    restore: (org: string): (() => void) => {
      const kept = linesOf(org).length > 0 ? undefined : takeDraft<readonly Line[]>(draftOf(org));
      if (kept) queryClient.setQueryData(keyOf(org), inOrder(kept.value));
      return holdDraft(draftOf(org));
    },
    /** A tab that is closed asks first; other pages of the console are free to go to, the lines wait. */
    guard: (): (() => void) => guardLeaving(async () => true),
  };
}

function without(lines: readonly Line[], others: readonly Line[]): readonly Line[] {
  const ids = new Set(others.map(({ id }) => id));
  return lines.filter(({ id }) => !ids.has(id));
}
