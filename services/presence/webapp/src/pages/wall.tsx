import { WallScreen } from "@frontdesk/ui";
import { useEffect, useMemo } from "react";
import { searchable } from "../board/find-people.ts";
import { WallTiles } from "../board/wall-tiles.tsx";
import type { Upgrade } from "../live-board.ts";
import { useOrg } from "../org.ts";
import { browserReload, reloadTries, reloadWhenReady } from "../reload-when-ready.ts";

/** The board for a screen on the wall. Nobody reloads it: it does so by itself when the pages were upgraded. */
export function WallPage({ loaded, isUpgraded }: Upgrade) {
  const { board } = useOrg();
  useEffect(() => {
    if (loaded === undefined) return;
    if (!isUpgraded) return reloadTries.set(0);
    return reloadWhenReady({ ...browserReload(loaded), isWell: async () => false });
  }, [isUpgraded, loaded]);
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
