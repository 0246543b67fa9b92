import type { ModalProps } from "@mantine/core";
import { Suspense, use, useState } from "react";
import { onFirstAct } from "./first-act.ts";
import { IsShown } from "./is-shown.ts";
import { lazyPage } from "./lazy-page.ts";

const load = () => import("./dialog.tsx").then(({ Dialog }) => Dialog);
const Dialog = lazyPage(load);
onFirstAct(() => void load().catch(() => {}));

/**
 * A dialog that costs a page nothing before somebody does something: its files are not among the first. It is hidden
 * with the page it belongs to.
 */
export function LateDialog(props: ModalProps) {
  const isShown = use(IsShown);
  const [wanted, setWanted] = useState(false);
  if (props.opened && !wanted) setWanted(true);
  return wanted ? (
    <Suspense>
      <Dialog {...props} opened={props.opened && isShown} />
    </Suspense>
  ) : null;
}
