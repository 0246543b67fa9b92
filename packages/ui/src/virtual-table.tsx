import { Checkbox, Group, Text, UnstyledButton } from "@mantine/core";
import { TriangleDownIcon, TriangleUpIcon } from "@radix-ui/react-icons";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { count, wholeNumber } from "./formats.ts";
import { useIsNarrow } from "./is-narrow.ts";
import { placeOf, type Shown } from "./row-place.ts";
import type { ServerRows } from "./server-rows.ts";
import { EmptyState, ErrorState, isServerFault, LoadingState, OldNote } from "./states.tsx";
import type { Sort } from "./url-state.ts";
import { type RowHandlers, type VirtualColumn, VirtualRow } from "./virtual-row.tsx";
import classes from "./virtual-table.module.css";
import { t } from "./words/tables.ts";

/** Rows kept drawn beyond what is seen, so that a quick flick shows rows and not paper. */
const OVERSCAN = 12;
/** How many rows before the end more of them are asked for. */
const AHEAD = 40;
const ROW_PX = { comfortable: 49, compact: 37 } as const;

export interface Selection {
  /** Of rows that are shown: whoever acts on what is ticked acts on what they see. */
  readonly keys: ReadonlySet<string>;
  readonly onChange: (keys: ReadonlySet<string>) => void;
  /** What can be done with what is ticked. */
  readonly actions: ReactNode;
}

/**
 * A long list from the server: only what is seen is drawn, more is fetched on the way down, the header stays in sight.
 * Arrow keys, Home, End and the page keys move from row to row, Enter opens one, the space bar ticks it.
 * Where there is no room for columns, as on a phone, each row is a small card.
 */
export function VirtualTable<Row>(props: {
  caption: string;
  columns: readonly VirtualColumn<Row>[];
  rows: ServerRows<Row>;
  rowKey: (row: Row) => string;
  empty: ReactNode;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  onOpen?: (row: Row) => void;
  selection?: Selection;
  density?: keyof typeof ROW_PX;
  /** Rows that changed just now are lit for a moment. */
  isFresh?: (row: Row) => boolean;
}) {
  const { caption, columns, rows: source, rowKey, selection, density = "comfortable" } = props;
  const { rows, hasMore, loadMore } = source;
  const rowCount = hasMore ? source.total : rows.length;
  const table = useRef<HTMLTableElement>(null);
  const offset = useOffsetTop(table);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX[density],
    overscan: OVERSCAN,
    scrollMargin: offset,
    getItemKey: (index) => rowKey(rows[index] as Row),
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - AHEAD) loadMore();
  }, [hasMore, last, rows.length, loadMore]);
  const [current, setCurrent] = useState<string>();
  const shown = useRef<Shown<Row>>({ rows, at: 0 });
  const at = placeOf(current, rows, shown.current, rowKey);
  // A row that is far away is drawn only after the scroll: it gets the focus when it is there.
  const wanted = useRef<number>(undefined);
  const focused = useRef<string>(undefined);
  // A row that leaves the list takes the focus along: the row in its place gets it, or the page where none is left.
  useLayoutEffect(() => {
    if (focused.current === undefined || document.activeElement !== document.body) return;
    const isThere = rows.some((row) => rowKey(row) === focused.current);
    focused.current = undefined;
    if (isThere) return;
    if (rows.length > 0) wanted.current = at;
    else document.querySelector<HTMLElement>("h1[tabindex]")?.focus({ preventScroll: true });
  });
  useLayoutEffect(() => {
    shown.current = { rows, at };
    const row = rows[at];
    // In the place of one that has left, it goes along with the rows from now on.
    if (current !== undefined && row !== undefined) setCurrent(rowKey(row));
  });
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const row = table.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (!row) return;
    row.focus({ preventScroll: true });
    wanted.current = undefined;
  });
  const focusRow = (index: number) => {
    const target = Math.max(0, Math.min(rows.length - 1, index));
    setCurrent(rowKey(rows[target] as Row));
    virtualizer.scrollToIndex(target, { align: "auto" });
    wanted.current = target;
  };
  const setTicked = (keys: ReadonlySet<string>) => {
    // The rows of the question before are about to go.
    if (!source.isStale) selection?.onChange(keys);
  };
  const tick = (key: string) => {
    const keys = new Set(selection?.keys);
    if (!keys.delete(key)) keys.add(key);
    setTicked(keys);
  };
  const onKey = (event: KeyboardEvent, row: Row, index: number) => {
    if (event.target !== event.currentTarget) return;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + 10,
      PageUp: index - 10,
      Home: 0,
      End: rows.length - 1,
    };
    const target = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    if (target !== undefined) focusRow(target);
    else if (event.key === "Enter" && props.onOpen) props.onOpen(row);
    else if (event.key === " " && selection) tick(rowKey(row));
    else return;
    event.preventDefault();
  };
  const latest = useRef({ onKey, tick });
  useLayoutEffect(() => {
    latest.current = { onKey, tick };
  });
  const { measureElement } = virtualizer;
  const handlers = useMemo(
    (): RowHandlers<Row> => ({
      measure: measureElement,
      onFocus: (name) => {
        focused.current = name;
        setCurrent(name);
      },
      onBlur: () => {
        focused.current = undefined;
      },
      onKey: (...key) => latest.current.onKey(...key),
      onTick: (name) => latest.current.tick(name),
    }),
    [measureElement],
  );

  const tracks = [
    ...(selection ? ["2.75rem"] : []),
    ...columns.map(({ width }) => width ?? "minmax(6rem, 1fr)"),
  ];
  const [observe, isNarrow] = useIsNarrow(tracks);

  if (source.error && rows.length === 0) return <ErrorState error={source.error} retry={source.reload} />;
  if (source.isLoading) return <LoadingState />;
  if (rows.length === 0) return <>{props.empty}</>;
  const isToldAbove = source.old !== undefined && isServerFault(source.error);
  return (
    <div
      ref={observe}
      className={classes.frame}
      style={{ "--tracks": tracks.join(" ") } as CSSProperties}
      data-density={density}
      data-narrow={isNarrow || undefined}
    >
      {source.old && <OldNote answer={source.old} mb="sm" />}
      <Group justify="space-between" className={classes.bar}>
        <Text size="sm" c="dimmed" role="status" aria-live="polite">
          {source.isStale ? t.searching : found(source)}
        </Text>
        {selection && selection.keys.size > 0 && (
          <Group gap="sm">
            <Text size="sm">{count(selection.keys.size, t.ticked)}</Text>
            {selection.actions}
          </Group>
        )}
      </Group>
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows are moved through and opened by keys, which is what a grid is
        role="grid"
        aria-label={caption}
        aria-rowcount={rowCount === undefined ? -1 : rowCount + 1}
        aria-busy={source.isStale}
        className={classes.grid}
        data-stale={source.isStale || undefined}
      >
        <thead>
          <tr aria-rowindex={1} className={classes.head}>
            {selection && (
              <th scope="col" className={classes.tick}>
                <Checkbox
                  aria-label={t.tickAllRowsThatAreLoaded}
                  checked={selection.keys.size > 0 && selection.keys.size >= rows.length}
                  indeterminate={selection.keys.size > 0 && selection.keys.size < rows.length}
                  onChange={({ currentTarget: { checked } }) =>
                    setTicked(new Set(checked ? rows.map(rowKey) : []))
                  }
                />
              </th>
            )}
            {columns.map((column) => (
              <Header key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        <tbody className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index] as Row;
            const name = rowKey(row);
            return (
              <VirtualRow
                key={key}
                row={row}
                name={name}
                index={index}
                top={start - offset}
                columns={columns}
                isCurrent={index === at}
                isTicked={selection?.keys.has(name)}
                isFresh={props.isFresh?.(row) ?? false}
                handlers={handlers}
              />
            );
          })}
        </tbody>
      </table>
      {source.error !== null && source.error !== undefined && !isToldAbove && (
        <ErrorState error={source.error} retry={source.reload} />
      )}
    </div>
  );
}

function Header<Row>(props: {
  column: VirtualColumn<Row>;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}) {
  const { column, sort, onSort } = props;
  const isSorted = sort?.column === column.id;
  if (!column.sortable || !onSort) {
    return (
      <th scope="col" className={classes.title}>
        <span className={column.actions ? classes.unseen : undefined}>{column.title}</span>
      </th>
    );
  }
  const descending = isSorted && sort.descending;
  const Icon = descending ? TriangleDownIcon : TriangleUpIcon;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (descending ? "descending" : "ascending") : "none"}
      className={classes.title}
    >
      <UnstyledButton
        className={classes.sort}
        onClick={() => onSort({ column: column.id, descending: isSorted && !sort.descending })}
      >
        {column.title}
        <Icon aria-hidden className={classes.arrow} data-shown={isSorted || undefined} />
      </UnstyledButton>
    </th>
  );
}

function found({ rows, total, hasMore }: ServerRows<unknown>): string {
  const all = total ?? rows.length;
  if (total === undefined && hasMore) return t.andMore(wholeNumber(rows.length));
  return count(all, t.rows);
}

/** How far below the top of the document the rows begin. */
function useOffsetTop(element: { readonly current: HTMLElement | null }): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const body = element.current?.querySelector("tbody");
    if (!body) return;
    const now = body.getBoundingClientRect().top + window.scrollY;
    if (Math.abs(now - offset) > 1) setOffset(now);
  });
  return offset;
}

export const NoRows = ({ filtered, children }: { filtered: boolean; children?: ReactNode }) => (
  <EmptyState title={filtered ? t.nothingFits : t.nothingHereYet}>
    {filtered ? t.changeOrClearWhatIsSearched : children}
  </EmptyState>
);
