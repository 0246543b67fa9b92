import "@mantine/spotlight/styles.layer.css";
import { Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { MagnifyingGlassIcon } from "@radix-ui/react-icons";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import type { Destination } from "./shell.tsx";

export interface Command {
  readonly id: string;
  readonly name: string;
  readonly about?: string;
  readonly icon?: ReactNode;
  readonly run: () => void;
}

/** Ctrl-K or Cmd-K: every page and every command of a console by its name. */
export function CommandPalette(props: {
  destinations: readonly Destination[];
  commands?: readonly Command[];
}) {
  const [, navigate] = useLocation();
  const pages: SpotlightActionData[] = props.destinations.map(({ path, name, icon }) => ({
    id: path,
    label: name,
    leftSection: icon,
    onClick: () => navigate(path),
  }));
  const commands: SpotlightActionData[] = (props.commands ?? []).map(({ id, name, about, icon, run }) => ({
    id,
    label: name,
    leftSection: icon,
    onClick: run,
    ...(about ? { description: about } : {}),
  }));
  return (
    <Spotlight
      shortcut={["mod + K"]}
      actions={[
        { group: "Pages", actions: pages },
        { group: "Commands", actions: commands },
      ].filter(({ actions }) => actions.length > 0)}
      nothingFound="Nothing is called that."
      highlightQuery
      searchProps={{
        leftSection: <MagnifyingGlassIcon aria-hidden />,
        placeholder: "Go to, or do …",
        "aria-label": "Go to, or do",
      }}
    />
  );
}
