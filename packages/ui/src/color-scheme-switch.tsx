import {
  type MantineColorScheme,
  SegmentedControl,
  useMantineColorScheme,
  VisuallyHidden,
} from "@mantine/core";
import { DesktopIcon, MoonIcon, SunIcon } from "@radix-ui/react-icons";
import type { ReactNode } from "react";
import { t } from "./words/frame.ts";

const SCHEMES: ReadonlyArray<[MantineColorScheme, string, ReactNode]> = [
  ["light", t.light, <SunIcon key="light" aria-hidden />],
  ["auto", t.asTheSystem, <DesktopIcon key="auto" aria-hidden />],
  ["dark", t.dark, <MoonIcon key="dark" aria-hidden />],
];

/** Light, dark, or whatever the system says. */
export function ColorSchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label={t.colours}
      value={colorScheme}
      onChange={(value) => setColorScheme(value as MantineColorScheme)}
      data={SCHEMES.map(([value, words, icon]) => ({
        value,
        label: (
          <span title={words} style={{ display: "grid", placeItems: "center", height: 20 }}>
            {icon}
            <VisuallyHidden>{words}</VisuallyHidden>
          </span>
        ),
      }))}
    />
  );
}
