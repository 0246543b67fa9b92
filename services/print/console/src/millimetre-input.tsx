import { NumberInput } from "@mantine/core";
import { type ReactNode, useState } from "react";

/** A length as it is typed: what is no number yet (`62.`, or nothing) stays in the field, and counts as what it is so far. */
export function MillimetreInput(props: {
  label: string;
  value: number;
  error: ReactNode;
  onChange: (value: number) => void;
}) {
  const { value, onChange, ...rest } = props;
  const [typed, setTyped] = useState<string | number>(value);
  return (
    <NumberInput
      {...rest}
      // What comes from elsewhere, as when changes are discarded, takes the place of what was typed.
      value={millimetresOf(typed) === value ? typed : value}
      clampBehavior="none"
      decimalScale={1}
      hideControls
      onChange={(next) => {
        setTyped(next);
        onChange(millimetresOf(next));
      }}
    />
  );
}

const millimetresOf = (typed: string | number) => Number(typed) || 0;
