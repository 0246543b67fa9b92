import { useState } from "react";

/** Test values stay with their template, in this browser. */
export function useTestValues(id: string, samples: readonly string[]) {
  const [values, setValues] = useState<readonly string[]>(() => keptTestValues(id) ?? samples);
  const set = (next: readonly string[]) => {
    setValues(next);
    keepTestValues(id, next);
  };
  return [values, set] as const;
}

const placeOf = (id: string) => `frontdesk-test-values:${id}`;

function keptTestValues(id: string): readonly string[] | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(id)) ?? "null");
    return Array.isArray(kept) ? kept.map(String) : undefined;
  } catch {
    // Storage that is shut off or spoiled: there are none.
    return undefined;
  }
}

export function keepTestValues(id: string, values: readonly string[]): void {
  if (id === "~new") return;
  try {
    localStorage.setItem(placeOf(id), JSON.stringify(values));
  } catch {
    // Full or shut off: they last as long as the page.
  }
}
