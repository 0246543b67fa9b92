import classes from "./charts.module.css";
import { percentage, wholeNumber } from "./formats.ts";

export interface Slice {
  readonly name: string;
  readonly value: number;
}

/** Told apart by lightness as well as by hue, so that nobody needs to see colours. */
const COLORS = ["pine-6", "clay-4", "pine-3", "gray-5", "clay-7"].map(
  (name) => `var(--mantine-color-${name})`,
);
const colorAt = (index: number) => COLORS[index % COLORS.length];
/** Bars under one another, longest first, each with its name and number. */
export function BarChart({ label, slices }: { label: string; slices: readonly Slice[] }) {
  const longest = Math.max(1, ...slices.map(({ value }) => value));
  return (
    <ul className={classes.bars} aria-label={label}>
      {slices
        .toSorted((a, b) => b.value - a.value)
        .map(({ name, value }) => (
          <li key={name}>
            <span>{name}</span>
            <span className={classes.number}>{wholeNumber(value)}</span>
            <span className={classes.track} aria-hidden="true">
              <span className={classes.bar} style={{ width: `${(value / longest) * 100}%` }} />
            </span>
          </li>
        ))}
    </ul>
  );
}

const RADIUS = 42;
const ROUND = 2 * Math.PI * RADIUS;

/** Parts of a whole as a ring, with the whole in the middle and the parts beside it. */
export function DonutChart(props: { label: string; slices: readonly Slice[]; whole: string }) {
  const { label, slices, whole } = props;
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  let before = 0;
  const arcs = slices.map(({ name, value }, index) => {
    const length = total === 0 ? 0 : (value / total) * ROUND;
    const arc = { name, length, offset: -before, color: colorAt(index) };
    before += length;
    return arc;
  });
  return (
    <div className={classes.donut}>
      <svg viewBox="0 0 100 100" className={classes.ring} aria-hidden="true">
        <circle cx="50" cy="50" r={RADIUS} className={classes.ground} />
        {arcs.map(({ name, length, offset, color }) => (
          <circle
            key={name}
            cx="50"
            cy="50"
            r={RADIUS}
            fill="none"
            stroke={color}
            strokeWidth="12"
            strokeDasharray={`${length} ${ROUND - length}`}
            strokeDashoffset={offset}
            transform="rotate(-90 50 50)"
          />
        ))}
        <text x="50" y="49" textAnchor="middle" className={classes.total}>
          {wholeNumber(total)}
        </text>
        <text x="50" y="61" textAnchor="middle" className={classes.whole}>
          {whole}
        </text>
      </svg>
      <ul className={classes.legend} aria-label={label}>
        {slices.map(({ name, value }, index) => (
          <li key={name}>
            <span className={classes.dot} style={{ background: colorAt(index) }} aria-hidden="true" />
            <span>{name}</span>
            <span className={classes.number}>
              {wholeNumber(value)} · {percentage(total > 0 ? value / total : 0)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
