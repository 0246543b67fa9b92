import { LateDialog } from "@frontdesk/ui";
import { t } from "../words/todos.ts";
import { AddTodos } from "./add-todos.tsx";

/** Adds from wherever one is. */
export function AddDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <LateDialog opened={opened} onClose={onClose} title={t.todos} size="lg">
      <AddTodos inDialog />
    </LateDialog>
  );
}
