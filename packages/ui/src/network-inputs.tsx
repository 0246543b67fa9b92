import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { type AddressKind, addressProblem, macProblem, normalMac } from "./network-address.ts";

type Props = Omit<TextInputProps, "value" | "onChange" | "error"> & {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What the server said about this field. */
  readonly error?: string | undefined;
};

/** An IP address; what is wrong with it is said when the field is left, not at the first digit. */
export function AddressInput({ kind = "any", ...rest }: Props & { kind?: AddressKind }) {
  return <CheckedInput {...rest} check={(text) => addressProblem(text, kind)} />;
}

/** A hardware address in any spelling people use; kept as `02:00:5e:10:00:01`. */
export function MacInput(props: Props) {
  return <CheckedInput {...props} check={macProblem} tidy={normalMac} />;
}

function CheckedInput(
  props: Props & { check: (text: string) => string | undefined; tidy?: (text: string) => string },
) {
  const { value, onChange, error, check, tidy, ...rest } = props;
  // What is there from the beginning, as from the address of the page, is not being typed.
  const [left, setLeft] = useState(value !== "");
  const problem = error ?? (left && value !== "" ? check(value) : undefined);
  return (
    <TextInput
      {...rest}
      dir="ltr"
      spellCheck={false}
      autoComplete="off"
      value={value}
      error={problem}
      onChange={({ currentTarget }) => {
        setLeft(false);
        onChange(currentTarget.value.trim());
      }}
      onBlur={() => {
        setLeft(true);
        if (tidy && !check(value)) onChange(tidy(value));
      }}
    />
  );
}
