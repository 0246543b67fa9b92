import { Accessibility, PointerActivationConstraints, PointerSensor } from "@dnd-kit/dom";
import { DragDropProvider } from "@dnd-kit/react";
import { isSortable, useSortable } from "@dnd-kit/react/sortable";
import { ActionIcon, Menu, VisuallyHidden } from "@mantine/core";
import { DragHandleDots2Icon } from "@radix-ui/react-icons";
import { type KeyboardEvent, memo, type ReactNode, useRef, useState } from "react";
import { createMoves, inOrderOf, moveTo } from "./moves.ts";
import classes from "./reorder-list.module.css";
import { t } from "./words/inputs.ts";

/** A press that goes nowhere is a click, which opens the handle's menu; the keys are the handle's own. */
const SENSORS = [
  PointerSensor.configure({
    activationConstraints: [new PointerActivationConstraints.Distance({ value: 5 })],
  }),
];

export interface ReorderItem {
  readonly id: string;
  /** What the item is called, for those who hear the page. */
  readonly name: string;
}

/**
 * A list whose order a person sets: by dragging the handle with mouse or finger, by Alt and an arrow key on the
 * handle, or by the handle's menu. Each move is read out.
 */
export function ReorderList<Item extends ReorderItem>(props: {
  label: string;
  items: readonly Item[];
  /** So many are drawn, and all of them unless told: those behind them can be moved to, and be drawn later. */
  most?: number;
  /** Stores a move: behind another item, or (null) before all. Until that is done, the list shows what is to be. */
  onMove: (id: string, after: string | null) => unknown;
  children: (item: Item) => ReactNode;
}) {
  const { label, most, children } = props;
  const [said, setSaid] = useState("");
  const [order, setOrder] = useState<readonly string[]>();
  const latest = useRef(props.onMove);
  latest.current = props.onMove;
  const [store] = useState(() =>
    createMoves(
      ({ id, after }) => latest.current(id, after),
      () => setOrder(undefined),
    ),
  );
  const items = order ? inOrderOf(props.items, order) : props.items;
  const shown = useRef(items);
  shown.current = items;
  // The same at every render, so that rows that have not changed are not drawn again.
  const [move] = useState(() => (id: string, to: number) => {
    const moved = moveTo(shown.current, id, to);
    if (!moved) return;
    setOrder(moved.order);
    setSaid(t.isNowNumberOf(moved.item.name, moved.target + 1, shown.current.length));
    store(moved.move);
  });
  return (
    <DragDropProvider
      sensors={SENSORS}
      // Moves are said below in words of ours, with the item's name.
      plugins={(usual) => usual.filter((plugin) => plugin !== Accessibility)}
      onDragEnd={({ canceled, operation }) => {
        const { source } = operation;
        if (!canceled && isSortable(source)) move(String(source.id), source.index);
      }}
    >
      <ol className={classes.list} aria-label={label}>
        {items.slice(0, most).map((item, index) => (
          <Row
            key={item.id}
            item={item}
            index={index}
            last={items.length - 1}
            move={move}
            content={children}
          />
        ))}
      </ol>
      <VisuallyHidden role="status" aria-live="assertive">
        {said}
      </VisuallyHidden>
    </DragDropProvider>
  );
}

interface RowProps<Item> {
  readonly item: Item;
  readonly index: number;
  readonly last: number;
  readonly move: (id: string, to: number) => void;
  readonly content: (item: Item) => ReactNode;
}

const Row = memo(function Row<Item extends ReorderItem>(props: RowProps<Item>) {
  const { item, index, last, move, content } = props;
  const { ref, handleRef, isDragging } = useSortable({ id: item.id, index });
  const onKey = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    move(item.id, index + (event.key === "ArrowUp" ? -1 : 1));
  };
  return (
    <li ref={ref} className={classes.item} data-dragging={isDragging || undefined}>
      <Menu position="bottom-start" withinPortal>
        <Menu.Target>
          <ActionIcon
            ref={handleRef}
            variant="subtle"
            color="gray"
            size="lg"
            className={classes.handle ?? ""}
            aria-label={t.moveNumberOf(item.name, index + 1, last + 1)}
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
            onKeyDown={onKey}
          >
            <DragHandleDots2Icon aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item disabled={index === 0} onClick={() => move(item.id, 0)}>
            {t.toTheTop}
          </Menu.Item>
          <Menu.Item disabled={index === 0} onClick={() => move(item.id, index - 1)}>
            {t.oneUp}
          </Menu.Item>
          <Menu.Item disabled={index === last} onClick={() => move(item.id, index + 1)}>
            {t.oneDown}
          </Menu.Item>
          <Menu.Item disabled={index === last} onClick={() => move(item.id, last)}>
            {t.toTheBottom}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <div className={classes.content}>{content(item)}</div>
    </li>
  );
}) as <Item extends ReorderItem>(props: RowProps<Item>) => ReactNode;
