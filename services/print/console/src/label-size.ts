import { t } from "./words/printer.ts";

const MIN_MM = 5;

/** Why a label cannot be this wide or high; undefined if it can. */
export function sizeProblem(millimetres: number, most: number): string | undefined {
  return millimetres >= MIN_MM && millimetres <= most ? undefined : t.fromToMm(MIN_MM, most);
}
