import type { ReactNode } from "react";

/** A page in the menu of a console. */
export interface Destination {
  readonly path: string;
  readonly name: string;
  readonly icon: ReactNode;
  /** How many things there want a person: shown beside the name and in the window's title. */
  readonly troubles?: number;
}

/** Something else to go to or to do, found by its name. */
export type Command = {
  readonly id: string;
  readonly name: string;
  readonly about?: string;
  readonly icon?: ReactNode;
} & ({ readonly run: () => void } | { readonly path: string });

export interface PaletteProps {
  readonly destinations: readonly Destination[];
  readonly commands: readonly Command[];
}
