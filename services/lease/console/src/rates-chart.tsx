import { wholeNumber } from "@frontdesk/ui";
import { TimeChart } from "@frontdesk/ui/time-chart";
import { useMemo } from "react";
import type { Dashboard } from "./api.ts";
import { t } from "./words/dashboard.ts";

const STEP_MS = 30_000;
const STEPS = 120;
/** Messages are counted whole: an axis up to one has no halves. */
const whole = (value: number) => (Number.isInteger(value) ? wholeNumber(value) : "");

/** Messages over the last hour. */
export function RatesChart({ rates }: { rates: Dashboard["rates"] }) {
  const { times, discover, ack, nak, errors } = useMemo(() => inSteps(rates), [rates]);
  return (
    <TimeChart
      label={t.messages}
      times={times}
      format={whole}
      series={[
        { name: t.discover, values: discover, color: "gray" },
        { name: t.ack, values: ack, color: "pine" },
        { name: t.nak, values: nak, color: "clay" },
        { name: t.errors, values: errors, color: "red" },
      ]}
    />
  );
}

/** Steps of the last hour. The newest one is still being counted, and shown only where it is the first. */
function inSteps(rates: Dashboard["rates"]) {
  const steps = new Map<number, { discover: number; ack: number; nak: number; errors: number }>();
  for (const { at, discover, ack, nak, errors } of rates) {
    const step = Math.floor(Date.parse(at) / STEP_MS) * STEP_MS;
    const sum = steps.get(step) ?? { discover: 0, ack: 0, nak: 0, errors: 0 };
    steps.set(step, {
      discover: sum.discover + discover,
      ack: sum.ack + ack,
      nak: sum.nak + nak,
      errors: sum.errors + errors,
    });
  }
  const last = [...steps.keys()].at(-2) ?? [...steps.keys()].at(-1);
  const times =
    last === undefined ? [] : Array.from({ length: STEPS }, (_, at) => last - (STEPS - 1 - at) * STEP_MS);
  const values = (name: "discover" | "ack" | "nak" | "errors") =>
    times.map((time) => steps.get(time)?.[name] ?? null);
  return {
    times,
    discover: values("discover"),
    ack: values("ack"),
    nak: values("nak"),
    errors: values("errors"),
  };
}
