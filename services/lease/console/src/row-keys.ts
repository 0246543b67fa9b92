import { useState } from "react";

/**
 * Keys of the rows of a list that is edited, each named in the configuration. A row keeps its key while it is renamed, and
 * what the server said of it stays with it when another is removed.
 */
export function useRowKeys(names: readonly string[], isDirty: boolean) {
  const [edited, setEdited] = useState<readonly string[]>([]);
  const [sent, setSent] = useState<readonly string[]>([]);
  const [made, setMade] = useState(0);
  const isEdited = isDirty && edited.length === names.length;
  const keys = isEdited
    ? edited
    : names.map((name, at) => (names.indexOf(name) === at ? name : `${name} ${at}`));
  return {
    keys,
    /** To be called with each change of the list. */
    changed: () => setEdited(keys),
    added: () => {
      setEdited([...keys, `new ${made}`]);
      setMade(made + 1);
    },
    removed: (at: number) => setEdited(keys.toSpliced(at, 1)),
    /** To be called when the list is sent. */
    sent: () => setSent(keys),
    /** The place that a row had in what was sent; -1: it was not in it. */
    placeSent: (at: number) => sent.indexOf(keys[at] ?? ""),
  };
}
