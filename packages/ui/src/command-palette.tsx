import { t } from "./words/dialogs.ts";
import "@mantine/spotlight/styles.layer.css";
import { createSpotlight, Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { MagnifyingGlassIcon } from "@radix-ui/react-icons";
import { useEffect } from "react";
import { useLocation } from "wouter";
import classes from "./command-palette.module.css";
import type { Command, PaletteProps } from "./destinations.ts";

const [store, palette] = createSpotlight();

/** Every page and every command of a console by its name. It opens as soon as it is there: somebody asked for it. */
export function CommandPalette({ destinations, commands }: PaletteProps) {
  const [, navigate] = useLocation();
  useEffect(() => {
    palette.open();
    return () => palette.close();
  }, []);
  const pages: SpotlightActionData[] = destinations.map(({ path, name, icon }) => ({
    id: path,
    label: name,
    leftSection: icon,
    onClick: () => navigate(path),
  }));
  const asAction = ({ id, name, about, icon, ...does }: Command): SpotlightActionData => ({
    id,
    label: name,
    leftSection: icon,
    onClick: "path" in does ? () => navigate(does.path) : does.run,
    ...(about ? { description: about } : {}),
  });
  return (
    <Spotlight
      store={store}
      shortcut={["mod + K"]}
      actions={[
        { group: t.pages, actions: pages },
        { group: t.more, actions: commands.map(asAction) },
      ].filter(({ actions }) => actions.length > 0)}
      classNames={{ action: classes.action ?? "" }}
      attributes={{ content: { "aria-label": t.goToOrDo } }}
      nothingFound={t.nothingIsCalledThat}
      scrollable
      maxHeight="60vh"
      limit={50}
      searchProps={{
        leftSection: <MagnifyingGlassIcon aria-hidden />,
        placeholder: t.goToOrDoHint,
        "aria-label": t.goToOrDo,
      }}
    />
  );
}
