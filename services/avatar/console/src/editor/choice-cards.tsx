import { type ReactNode, useId } from "react";
import classes from "./choice-cards.module.css";

export interface Choice {
  readonly value: string;
  readonly words: string;
  readonly picture: ReactNode;
}

/** One of several, chosen by its picture: radio buttons underneath, so that arrows and screen readers know their way. */
export function ChoiceCards(props: {
  legend: string;
  hideLegend?: boolean;
  choices: readonly Choice[];
  value: string;
  onChange: (value: string) => void;
  small?: boolean;
}) {
  const { legend, hideLegend = false, choices, value, onChange, small = false } = props;
  const name = useId();
  return (
    <fieldset className={classes.group} data-small={small || undefined}>
      <legend className={hideLegend ? classes.unseen : classes.legend}>{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={classes.card}>
          <input
            type="radio"
            name={name}
            className={classes.unseen}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
            aria-label={choice.words}
          />
          <span className={classes.picture} aria-hidden="true">
            {choice.picture}
          </span>
          {!small && <span className={classes.words}>{choice.words}</span>}
        </label>
      ))}
    </fieldset>
  );
}
