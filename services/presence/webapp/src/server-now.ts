import { useNow } from "@frontdesk/ui";
import { useQuery } from "@tanstack/react-query";
import { questions } from "./api.ts";
import { useOrg } from "./org.ts";

/** Now by the clock of the server, which ends things: a browser's may be far from it. `member`: whose ends are known anyway. */
export function useServerNow(member?: string): number {
  const { org } = useOrg();
  const { data: ends, dataUpdatedAt } = useQuery(questions.ends(org, member));
  return useNow() + (ends ? Date.parse(ends.now) - dataUpdatedAt : 0);
}
