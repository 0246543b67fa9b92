import { WallScreen } from "@frontdesk/ui";
import { useEffect, useMemo } from "react";
import { searchable } from "../board/find-people.ts";
import { WallTiles } from "../board/wall-tiles.tsx";
import { useOrg } from "../org.ts";

/** The board for a screen on the wall. Nobody reloads it: it does so by itself when the pages were upgraded. */
export function WallPage({ isUpgraded }: { isUpgraded: boolean }) {
  const { board } = useOrg();
  useEffect(() => {
    if (isUpgraded) window.location.reload();
  }, [isUpgraded]);
  const people = useMemo(
    () =>
      searchable(board.members, board.statuses).map(({ member: { id, name, avatarUrl, status } }) => ({
        id,
        name,
        face: avatarUrl,
        status: status.status,
        expiresAt: status.expiresAt,
      })),
    [board.members, board.statuses],
  );
  return (
    <WallScreen title={board.org.name}>
      <WallTiles people={people} statuses={board.statuses} />
    </WallScreen>
  );
}
