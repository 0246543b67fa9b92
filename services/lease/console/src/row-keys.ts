import { useState } from "react";

/**
 * Keys of the rows of a list that is edited, each named in the configuration. A row keeps its key while it is renamed, and
 * what the server said of it stays with it when another is removed.
 */
export function useRowKeys(names: readonly string[], isDirty: boolean) {
  const [edited, setEdited] = useState<readonly string[]>([]);
  const [sent, setSent] = useState<{ names: readonly string[]; keys: readonly string[] }>({
    names: [],
    keys: [],
  });
  const [made, setMade] = useState(0);
  const isEdited = isDirty && edited.length === names.length;
  // What was sent is stored now: a row that is new, or has another name, is the one that it was.
  const isSaved =
    !isDirty && sent.names.length === names.length && names.every((name, at) => name === sent.names[at]);
  const keys = isEdited
    ? edited
    : isSaved
      ? sent.keys
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
    sent: () => setSent({ names, keys }),
    /** The place that a row had in what was sent; -1: it was not in it. */
    placeSent: (at: number) => sent.keys.indexOf(keys[at] ?? ""),
  };
}
