import { t } from "./words/charts.ts";
import "uplot/dist/uPlot.min.css";
import { Group, Table, Text, useComputedColorScheme } from "@mantine/core";
import { useEffect, useId, useRef } from "react";
import uPlot from "uplot";
import { clockTime, exactTime, wholeNumber } from "./formats.ts";
import classes from "./time-chart.module.css";

export interface Series {
  readonly name: string;
  /** One value for each time; null where nothing was measured. */
  readonly values: ReadonlyArray<number | null>;
  /** A colour of the theme: `pine`, `clay`, `red`, `gray`. */
  readonly color: "pine" | "clay" | "red" | "gray";
}

const HEIGHT_PX = 200;
/** How many rows the table for those who cannot see the drawing has. */
const MAX_TOLD = 12;

/** Values over time as lines, or as areas; pointed at, it tells the values of that moment. */
export function TimeChart(props: {
  label: string;
  /** Milliseconds since 1970, rising. */
  times: readonly number[];
  series: readonly Series[];
  area?: boolean;
  format?: (value: number) => string;
}) {
  const { label, times, series, area = false, format = wholeNumber } = props;
  const scheme = useComputedColorScheme();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const id = useId();
  const shape = JSON.stringify([series.map(({ name, color }) => [name, color]), area, scheme]);
  const data = [
    times.map((time) => time / 1_000),
    ...series.map(({ values }) => [...values]),
  ] as uPlot.AlignedData;
  const latest = useRef({ data, format });
  latest.current = { data, format };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` stands for the series' names and colours
  useEffect(() => {
    const element = place.current as HTMLDivElement;
    const color = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
    const axis = {
      stroke: color("--mantine-color-dimmed"),
      grid: { stroke: color("--fd-line"), width: 1 },
      ticks: { show: false },
      font: "11px Inter Variable, sans-serif",
    };
    const plot = new uPlot(
      {
        width: element.clientWidth || 300,
        height: HEIGHT_PX,
        legend: { show: false },
        cursor: { y: false, points: { size: 7 } },
        axes: [
          { ...axis, values: (_plot, ticks) => ticks.map((tick) => clockTime(tick * 1_000)) },
          { ...axis, size: 56, values: (_plot, ticks) => ticks.map((tick) => latest.current.format(tick)) },
        ],
        scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.08)] } },
        series: [
          {},
          ...series.map(({ name, color: hue }) => {
            const stroke = color(`--mantine-color-${hue}-${scheme === "dark" ? 4 : 6}`);
            return {
              label: name,
              stroke,
              width: 2,
              ...(area ? { fill: `${stroke}33` } : {}),
              points: { show: false },
            };
          }),
        ],
        plugins: [tooltip(latest)],
      },
      latest.current.data,
      element,
    );
    chart.current = plot;
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [shape]);
  useEffect(() => chart.current?.setData(latest.current.data));
  return (
    <figure className={classes.figure} aria-labelledby={id}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text id={id} size="sm" fw={550}>
          {label}
        </Text>
        <ul className={classes.legend}>
          {series.map(({ name, color }) => (
            <li key={name}>
              <span className={classes.dot} style={{ background: `var(--mantine-color-${color}-5)` }} />{" "}
              {name}
            </li>
          ))}
        </ul>
      </Group>
      <div ref={place} className={classes.plot} aria-hidden="true" hidden={times.length === 0} />
      {times.length === 0 && (
        <Text size="sm" c="dimmed" className={classes.empty ?? ""}>
          {t.nothingMeasuredYet}
        </Text>
      )}
      <Told {...props} format={format} />
    </figure>
  );
}

/** The same in a table that is read out and not seen. */
function Told({
  label,
  times,
  series,
  format,
}: {
  label: string;
  times: readonly number[];
  series: readonly Series[];
  format: (value: number) => string;
}) {
  const step = Math.max(1, Math.ceil(times.length / MAX_TOLD));
  const rows = times.map((time, index) => ({ time, index })).filter(({ index }) => index % step === 0);
  return (
    <Table className={classes.told} aria-label={t.asATable(label)}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t.time}</Table.Th>
          {series.map(({ name }) => (
            <Table.Th key={name}>{name}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ time, index }) => (
          <Table.Tr key={time}>
            <Table.Td>{exactTime(time)}</Table.Td>
            {series.map(({ name, values }) => (
              <Table.Td key={name}>
                {typeof values[index] === "number" ? format(values[index]) : t.noValue}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function tooltip(latest: { readonly current: { format: (value: number) => string } }): uPlot.Plugin {
  const box = document.createElement("div");
  box.className = classes.tooltip ?? "";
  return {
    hooks: {
      init: (plot) => void plot.over.append(box),
      setCursor: (plot) => {
        const { idx, left = -1 } = plot.cursor;
        const time = idx === null || idx === undefined ? undefined : plot.data[0][idx];
        box.hidden = time === undefined || left < 0;
        if (time === undefined) return;
        const lines = plot.series.slice(1).map(({ label }, at) => {
          const value = plot.data[at + 1]?.[idx as number];
          return `${label}: ${typeof value === "number" ? latest.current.format(value) : "–"}`;
        });
        box.textContent = [exactTime(time * 1_000), ...lines].join("\n");
        const right = left > plot.over.clientWidth / 2;
        box.style.left = right ? "" : `${left + 12}px`;
        box.style.right = right ? `${plot.over.clientWidth - left + 12}px` : "";
      },
    },
  };
}
