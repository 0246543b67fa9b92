import { listed } from "@frontdesk/ui";
import { DETAILS, t } from "./words/audit.ts";

/** The job of an entry has a link of its own. */
const LINKED = new Set(["job"]);

/** An entry's detail for a person: `name: Dock → Loading dock`. */
export function detailInWords(detail: Readonly<Record<string, unknown>>): string {
  return Object.entries(detail)
    .filter(([name]) => !LINKED.has(name))
    .map(([name, value]) => t.labelled(DETAILS[name] ?? name, changeInWords(value)))
    .join(", ");
}

function changeInWords(value: unknown): string {
  const isChange = isRecord(value) && Object.keys(value).join() === "from,to";
  return isChange ? t.fromTo(valueInWords(value.from), valueInWords(value.to)) : valueInWords(value);
}

function valueInWords(value: unknown): string {
  if (value === null || value === "") return t.none;
  if (value === "all") return t.all;
  if (typeof value === "boolean") return value ? t.yes : t.no;
  if (typeof value === "number") return value.toLocaleString();
  if (Array.isArray(value)) return value.length > 0 ? listed(value.map(valueInWords)) : t.none;
  if (!isRecord(value)) return String(value);
  const parts = Object.entries(value)
    .filter(([, part]) => part !== false)
    .map(([name, part]) => (part === true || part === name ? name : t.labelled(name, valueInWords(part))));
  return parts.length > 0 ? listed(parts) : t.none;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
