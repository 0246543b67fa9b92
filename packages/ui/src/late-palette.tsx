import { UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { MagnifyingGlassIcon } from "@radix-ui/react-icons";
import { Suspense, use, useState } from "react";
import type { PaletteProps } from "./destinations.ts";
import { IsShown } from "./is-shown.ts";
import classes from "./late-palette.module.css";
import { lazyPage } from "./lazy-page.ts";
import { t } from "./words/frame.ts";

const CommandPalette = lazyPage(() =>
  import("./command-palette.tsx").then(({ CommandPalette }) => CommandPalette),
);

const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

/** The way to everything by its name: a button, and Ctrl-K or Cmd-K. Its files are fetched when it is first used. */
export function LatePalette(props: PaletteProps) {
  // Each press is a new palette: it opens by itself, and by its own shortcut from then on.
  const [presses, setPresses] = useState(0);
  const open = () => setPresses((before) => before + 1);
  // It names what is in the page: nobody opens it while nobody is signed in, and it does not come back by itself.
  const isShown = use(IsShown);
  if (!isShown && presses > 0) setPresses(0);
  useHotkeys(presses === 0 && isShown ? [["mod+K", open]] : [], []);
  return (
    <>
      <UnstyledButton className={classes.button} onClick={open}>
        <MagnifyingGlassIcon aria-hidden />
        <span>{t.goTo}</span>
        <kbd aria-hidden>{isApple ? "⌘ K" : t.ctrlK}</kbd>
      </UnstyledButton>
      {presses > 0 && (
        <Suspense>
          <CommandPalette key={presses} {...props} />
        </Suspense>
      )}
    </>
  );
}
