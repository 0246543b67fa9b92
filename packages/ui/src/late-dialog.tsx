import type { ModalProps } from "@mantine/core";
import { Suspense, useState } from "react";
import { onFirstAct } from "./first-act.ts";
import { lazyPage } from "./lazy-page.ts";

const load = () => import("./dialog.tsx").then(({ Dialog }) => Dialog);
const Dialog = lazyPage(load);
onFirstAct(() => void load().catch(() => {}));

/** A dialog that costs a page nothing before somebody does something: its files are not among the first. */
export function LateDialog(props: ModalProps) {
  const [wanted, setWanted] = useState(false);
  if (props.opened && !wanted) setWanted(true);
  return wanted ? (
    <Suspense>
      <Dialog {...props} />
    </Suspense>
  ) : null;
}
