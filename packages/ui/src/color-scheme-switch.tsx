import { type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import { DesktopIcon, MoonIcon, SunIcon } from "@radix-ui/react-icons";
import { type ReactNode, useId } from "react";
import classes from "./color-scheme-switch.module.css";
import { t } from "./words/frame.ts";

const SCHEMES: ReadonlyArray<[MantineColorScheme, string, ReactNode]> = [
  ["light", t.light, <SunIcon key="light" aria-hidden />],
  ["auto", t.asTheSystem, <DesktopIcon key="auto" aria-hidden />],
  ["dark", t.dark, <MoonIcon key="dark" aria-hidden />],
];

/**
 * Light, dark, or whatever the system says. Plain radio buttons: it is on the first page, and Mantine's segmented control
 * measures itself and renders four times before it stands.
 */
export function ColorSchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = useId();
  return (
    <fieldset className={classes.switch} aria-label={t.colours}>
      {SCHEMES.map(([value, words, icon]) => (
        <label key={value} className={classes.choice} title={words}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={colorScheme === value}
            onChange={() => setColorScheme(value)}
            className="fd-unseen"
          />
          {icon}
          <span className="fd-unseen">{words}</span>
        </label>
      ))}
    </fieldset>
  );
}
