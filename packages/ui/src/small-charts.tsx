import { percentage, wholeNumber } from "./formats.ts";
import classes from "./small-charts.module.css";
import { t } from "./words/charts.ts";

/** A line without axes, for a table cell: whether it rises or falls. The number beside it says how much. */
export function Sparkline({ label, values }: { label: string; values: readonly number[] }) {
  const top = Math.max(1, ...values);
  const step = 100 / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) => `${(index * step).toFixed(2)},${(30 - (value / top) * 28).toFixed(2)}`,
  );
  return (
    <svg
      className={classes.spark}
      viewBox="0 0 100 30"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polyline points={points.join(" ")} />
    </svg>
  );
}

/** How much of something is used, with a mark where it gets tight. */
export function UsageBar({ label, used, total }: { label: string; used: number; total: number }) {
  const share = total === 0 ? 0 : Math.min(1, used / total);
  const state = share >= 0.95 ? "full" : share >= 0.8 ? "tight" : "free";
  return (
    <div className={classes.usage}>
      <div
        className={classes.track}
        role="img"
        aria-label={t.of(label, wholeNumber(used), wholeNumber(total))}
      >
        <div className={classes.fill} data-state={state} style={{ width: `${share * 100}%` }} />
      </div>
      <span className={classes.share}>{percentage(share)}</span>
    </div>
  );
}

/** Cells of a grid shaded by how much happens in each: hours by days, or addresses of a subnet. */
export function HeatMap(props: {
  label: string;
  columns: readonly string[];
  rows: ReadonlyArray<{ readonly name: string; readonly values: readonly number[] }>;
  format?: (value: number) => string;
}) {
  const { label, columns, rows, format = String } = props;
  const top = Math.max(1, ...rows.flatMap(({ values }) => values));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: where it is wider than the page, arrow keys scroll it
    <section className={classes.heatFrame} aria-label={label} tabIndex={0}>
      <table className={classes.heat}>
        <thead>
          <tr>
            <td />
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {values.map((value, index) => (
                <td
                  key={columns[index]}
                  title={`${name}, ${columns[index]}: ${format(value)}`}
                  style={{ "--heat": value / top } as React.CSSProperties}
                >
                  {format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
