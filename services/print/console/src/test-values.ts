import { browserStorage } from "@frontdesk/ui/storage";
import { useState } from "react";

/** Test values stay with their template, in this browser, until whoever has typed them signs out. */
export function useTestValues(id: string, samples: readonly string[]) {
  const [values, setValues] = useState<readonly string[]>(() => keptTestValues(id) ?? samples);
  const set = (next: readonly string[]) => {
    setValues(next);
    keepTestValues(id, next);
  };
  return [values, set] as const;
}

const PREFIX = "frontdesk-test-values:";
const placeOf = (id: string) => `${PREFIX}${id}`;

function keptTestValues(id: string): readonly string[] | undefined {
  try {
    const kept: unknown = JSON.parse(browserStorage.get(placeOf(id)) ?? "null");
    return Array.isArray(kept) ? kept.map(String) : undefined;
  } catch {
    // Spoiled: there are none.
    return undefined;
  }
}

export function keepTestValues(id: string, values: readonly string[]): void {
  if (id === "~new") return;
  browserStorage.set(placeOf(id), JSON.stringify(values));
}

export function forgetTestValues(): void {
  for (const place of browserStorage.places()) if (place.startsWith(PREFIX)) browserStorage.remove(place);
}
