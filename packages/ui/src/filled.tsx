import { Fragment, type ReactNode } from "react";

type Holes<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Holes<Rest> : never;

/** A sentence of a catalogue with what belongs into it: `filled("It shows {code}.", { code: <strong>…</strong> })`. */
export function filled<Text extends string>(
  text: Text,
  parts: Readonly<Record<Holes<Text>, ReactNode>>,
): ReactNode {
  const pieces = text.split(/(\{\w+\})/);
  return pieces.map((piece) => {
    const hole = /^\{(\w+)\}$/.exec(piece)?.[1] as Holes<Text> | undefined;
    return hole === undefined ? piece : <Fragment key={piece}>{parts[hole]}</Fragment>;
  });
}
