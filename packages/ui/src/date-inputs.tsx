import { t } from "./words/inputs.ts";
import "@mantine/dates/styles.layer.css";
import { Stack, Text } from "@mantine/core";
import { DatePickerInput, DateTimePicker } from "@mantine/dates";
import { exactTime, isKnownZone } from "./formats.ts";
import { instantOf, wallTimeOf } from "./zoned-time.ts";

const firstDayOfWeek = (): 0 | 1 | 6 => {
  const locale = new Intl.Locale(navigator.language) as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number };
  };
  const day = locale.getWeekInfo?.().firstDay ?? 1;
  return day === 7 ? 0 : day === 6 ? 6 : 1;
};

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

const zoneName = (zone: string) => zone.replaceAll("_", " ");

/**
 * A day and a time in one zone, kept as an instant. Another zone than the reader's is named, with the reader's time. Where the
 * browser does not know the zone, the time is the reader's, and that is said.
 */
export function DateTimeInput(props: {
  label: string;
  /** An ISO 8601 instant, or null. */
  value: string | null;
  onChange: (value: string | null) => void;
  timeZone?: string;
  min?: string;
  error?: string;
}) {
  const { label, value, onChange, timeZone: wanted = ownZone(), min, error } = props;
  const timeZone = isKnownZone(wanted) ? wanted : ownZone();
  const aboutZone = () => {
    if (timeZone !== wanted) return t.timeInZoneInstead(zoneName(timeZone), zoneName(wanted));
    return value
      ? t.timeInZoneAndYours(zoneName(timeZone), exactTime(value))
      : t.timeInZone(zoneName(timeZone));
  };
  return (
    <Stack gap={2}>
      <DateTimePicker
        label={label}
        clearable
        clearButtonProps={{ "aria-label": t.clear(label) }}
        firstDayOfWeek={firstDayOfWeek()}
        valueFormat="YYYY-MM-DD HH:mm"
        value={value === null ? null : wallTimeOf(value, timeZone)}
        {...(min ? { minDate: wallTimeOf(min, timeZone) } : {})}
        {...(error ? { error } : {})}
        onChange={(next) => onChange(next === null ? null : instantOf(next, timeZone))}
      />
      {wanted !== ownZone() && (
        <Text size="xs" c="dimmed">
          {aboutZone()}
        </Text>
      )}
    </Stack>
  );
}

export interface DayRange {
  /** Days like `2026-11-15`, both included. */
  readonly from: string | null;
  readonly to: string | null;
}

/** From a day to a day, both included. */
export function DayRangeInput(props: {
  label: string;
  value: DayRange;
  onChange: (range: DayRange) => void;
}) {
  return (
    <DatePickerInput
      type="range"
      label={props.label}
      clearable
      clearButtonProps={{ "aria-label": t.clear(props.label) }}
      allowSingleDateInRange
      firstDayOfWeek={firstDayOfWeek()}
      value={[props.value.from, props.value.to]}
      onChange={([from, to]) => props.onChange({ from, to })}
    />
  );
}
