import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { Value } from "typebox/value";

export type ValidationError = TLocalizedValidationError;

/** How many are told; whoever sends more that is wrong hears of the rest when these are right. */
const MAX_ERRORS = 20;

/** What TypeBox judges of an object or array without looking into what it holds. */
const OWN_KEYWORDS = [
  "type",
  "required",
  "minProperties",
  "maxProperties",
  "minItems",
  "maxItems",
  "uniqueItems",
];

interface Keywords extends TSchema {
  readonly anyOf?: readonly Keywords[];
  readonly items?: Keywords;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly patternProperties?: Readonly<Record<string, Keywords>>;
  readonly additionalProperties?: Keywords | boolean;
}

/**
 * Where a refused value does not fit its schema. `Errors` of TypeBox goes through all of the value, also once it has as many
 * errors as it tells, and takes two sets of memory for each item: a request would hold everybody up by being refused. Here
 * what fits is passed over by the compiled check, an array that is too long is one error, and the search ends with the last
 * error that is told.
 */
export function validationErrors(schema: TSchema, value: unknown): ValidationError[] {
  const found: ValidationError[] = [];
  search(schema, value, "", found);
  if (found.length === 0) found.push(errorAt("", "does not fit"));
  return found.slice(0, MAX_ERRORS);
}

function search(schema: Keywords, value: unknown, path: string, found: ValidationError[]): void {
  if (found.length >= MAX_ERRORS) return;
  const before = found.length;
  for (const error of shallowErrors(schema, value))
    found.push({ ...error, instancePath: `${path}${error.instancePath}` });
  if (typeof value !== "object" || value === null || isTooLong(schema, value)) return;
  for (const option of schema.anyOf ?? []) search(option, value, path, found);
  if (Array.isArray(value)) searchItems(schema, value, path, found);
  else searchProperties(schema, value as Record<string, unknown>, path, found);
  if (found.length === before) found.push(errorAt(path, "does not fit"));
}

const isTooLong = ({ maxItems = Number.POSITIVE_INFINITY }: Keywords, value: object): boolean =>
  Array.isArray(value) && value.length > maxItems;

/** What is wrong with the value itself, whatever is in it. */
function shallowErrors(schema: Keywords, value: unknown): ValidationError[] {
  if (typeof value !== "object" || value === null) return Value.Errors(schema, value);
  if (isTooLong(schema, value)) return Value.Errors({ maxItems: schema.maxItems }, value);
  const errors = Value.Errors(ownKeywords(schema), value);
  return Array.isArray(value) ? errors : [...errors, ...unknownNames(schema, value)];
}

function searchItems(
  { items }: Keywords,
  value: readonly unknown[],
  path: string,
  found: ValidationError[],
): void {
  if (!items) return;
  for (const [index, item] of value.entries()) {
    if (found.length >= MAX_ERRORS) return;
    if (!fits(items, item)) search(items, item, `${path}/${index}`, found);
  }
}

function searchProperties(
  { properties = {}, patternProperties = {}, additionalProperties }: Keywords,
  value: Readonly<Record<string, unknown>>,
  path: string,
  found: ValidationError[],
): void {
  const patterns = Object.entries(patternProperties).map(
    ([pattern, schema]) => [new RegExp(pattern, "u"), schema] as const,
  );
  for (const [name, schema] of Object.entries(properties))
    if (Object.hasOwn(value, name) && !fits(schema, value[name]))
      search(schema, value[name], path + below(name), found);
  if (patterns.length === 0 && typeof additionalProperties !== "object") return;
  for (const name of Object.keys(value)) {
    if (found.length >= MAX_ERRORS) return;
    const matching = patterns.filter(([pattern]) => pattern.test(name)).map(([, schema]) => schema);
    const isKnown = matching.length > 0 || Object.hasOwn(properties, name);
    if (!isKnown && typeof additionalProperties === "object") matching.push(additionalProperties);
    for (const schema of matching)
      if (!fits(schema, value[name])) search(schema, value[name], path + below(name), found);
  }
}

/** The first names that the schema does not know, where it refuses those. */
function unknownNames(
  { properties = {}, patternProperties = {}, additionalProperties }: Keywords,
  value: object,
): ValidationError[] {
  if (additionalProperties !== false) return [];
  const patterns = Object.keys(patternProperties).map((pattern) => new RegExp(pattern, "u"));
  const unknown: ValidationError[] = [];
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name) || patterns.some((pattern) => pattern.test(name))) continue;
    unknown.push(errorAt(below(name), "is an unknown field"));
    if (unknown.length === MAX_ERRORS) break;
  }
  return unknown;
}

/** Compiled when something is refused by it for the first time. */
const checks = new WeakMap<TSchema, (value: unknown) => boolean>();

function fits(schema: TSchema, value: unknown): boolean {
  let check = checks.get(schema);
  if (!check) {
    const compiled = Compile(schema);
    check = (given) => compiled.Check(given);
    checks.set(schema, check);
  }
  return check(value);
}

const ownKeywords = (schema: TSchema): TSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => OWN_KEYWORDS.includes(keyword)));

/** RFC 6901. */
const below = (name: string) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

const errorAt = (instancePath: string, message: string): ValidationError => ({
  keyword: "not",
  schemaPath: "#",
  instancePath,
  params: {},
  message,
});
