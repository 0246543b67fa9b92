import { TextInput } from "@mantine/core";
import classes from "./code-input.module.css";

/** A one-time code: one field, so that it can be pasted and that phones can fill it in. */
export function CodeInput(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Recovery codes have letters too. */
  anyText?: boolean;
}) {
  const { label, value, onChange, anyText = false } = props;
  return (
    <TextInput
      label={label}
      name="code"
      size="md"
      inputMode={anyText ? "text" : "numeric"}
      autoComplete="one-time-code"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={anyText ? 40 : 12}
      value={value}
      onChange={(event) => {
        const typed = event.currentTarget.value;
        onChange(anyText ? typed : typed.replace(/\D/g, "").slice(0, 6));
      }}
      classNames={{ input: classes.digits ?? "" }}
      autoFocus
    />
  );
}
