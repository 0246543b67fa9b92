import { count, Loaded } from "@frontdesk/ui";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import classes from "./address-map.module.css";
import { call, type AddressMap as MapView } from "./api.ts";
import { t } from "./words/address-map.ts";

const COLUMNS = 16;
type Cell = MapView["cells"][number];

/** Every address of a subnet as a cell; where there are too many, a cell stands for a block and opens it. */
export function AddressMap({ subnet }: { subnet: string }) {
  const [from, setFrom] = useState<string>();
  const map = useQuery({
    // With the leases: what happens to them changes it.
    queryKey: ["lease", "map", subnet, from],
    queryFn: () => call("GET /address-map", { query: { subnet, ...(from ? { from } : {}) } }),
    placeholderData: (before) => before,
  });
  return (
    <Loaded query={map}>
      {(shown) => (
        <Stack gap="sm">
          <Group justify="space-between">
            <Text size="sm" ff="monospace">
              {t.range(shown.first, shown.last)}
            </Text>
            {from && (
              <Button size="xs" variant="default" onClick={() => setFrom(undefined)}>
                {t.whole}
              </Button>
            )}
          </Group>
          <Cells map={shown} open={setFrom} />
          <Text size="xs" c="dimmed">
            {shown.step > 1 ? t.aboutBlocks : t.aboutAddresses}
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}

function Cells({ map: { cells, step, subnet }, open }: { map: MapView; open: (first: string) => void }) {
  const [, navigate] = useLocation();
  const rows = Array.from({ length: Math.ceil(cells.length / COLUMNS) }, (_, row) =>
    cells.slice(row * COLUMNS, (row + 1) * COLUMNS),
  );
  const isWorth = ({ held, declined, reserved, pooled }: Cell) => held + declined + reserved + pooled > 0;
  const act = ({ first, held }: Cell) => {
    if (step > 1) return () => open(first);
    return held > 0 ? () => navigate(`/leases?lease=${first}`) : undefined;
  };
  return (
    <table className={classes.map} aria-label={t.mapOf(subnet)}>
      <tbody>
        {rows.map((row) => (
          <tr key={row[0]?.first}>
            {row.map((cell) => {
              const onClick = isWorth(cell) ? act(cell) : undefined;
              return (
                <td key={cell.first} {...lookOf(cell, step)} title={wordsOf(cell, step)}>
                  {onClick ? (
                    <button type="button" aria-label={wordsOf(cell, step)} onClick={onClick} />
                  ) : (
                    <span className="fd-unseen">{wordsOf(cell, step)}</span>
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const lookOf = ({ held, declined, reserved, pooled }: Cell, step: number) => ({
  "data-pooled": pooled > 0 || undefined,
  "data-declined": declined > 0 || undefined,
  "data-reserved": reserved > 0 || undefined,
  style: { "--held": held / Math.max(1, Math.min(step, Math.max(pooled, held))) } as React.CSSProperties,
});

function wordsOf({ first, held, declined, reserved, pooled }: Cell, step: number): string {
  if (step === 1) {
    const state = declined ? t.declined : held ? t.held : pooled ? t.free : t.outside;
    return [`${first}: ${state}`, reserved ? t.reserved : ""].filter(Boolean).join(", ");
  }
  const parts = [
    count(held, t.heldOf),
    pooled > 0 && count(pooled, t.inPools),
    reserved > 0 && count(reserved, t.reservedOf),
    declined > 0 && count(declined, t.declinedOf),
  ].filter(Boolean);
  return `${t.block(first)}: ${parts.join(", ")}`;
}
