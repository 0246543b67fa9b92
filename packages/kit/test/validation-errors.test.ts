import assert from "node:assert/strict";
import { test } from "node:test";
import { validationErrors } from "@frontdesk/kit/validation-errors";
import { type TSchema, Type } from "typebox";
import { Compile } from "typebox/compile";

const Item = Type.Object(
  {
    text: Type.String({ maxLength: 3 }),
    project: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    labels: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { additionalProperties: false },
);
const Body = Type.Object({ items: Type.Array(Item, { minItems: 1, maxItems: 500 }) });

const places = (schema: TSchema, value: unknown) =>
  validationErrors(schema, value).map(({ instancePath, message }) => `${instancePath} ${message}`);

/** The same array, and how many of its items have been looked at. */
function watched<T>(items: T[]) {
  let reads = 0;
  const array = new Proxy(items, {
    get(target, name, receiver) {
      if (typeof name === "string" && /^\d+$/.test(name)) reads++;
      return Reflect.get(target, name, receiver);
    },
  });
  return { array, reads: () => reads };
}

test("an array that is too long is one error, and what is in it is not looked at", () => {
  const { array, reads } = watched(Array(10_000).fill(0));
  assert.deepEqual(places(Body, { items: array }), ["/items must not have more than 500 items"]);
  assert.ok(reads() < 10, `${reads()} items were looked at`);
});

test("the search ends with the last error that is told", () => {
  const Long = Type.Object({ items: Type.Array(Item) });
  const { array, reads } = watched(Array(10_000).fill(0));
  assert.equal(validationErrors(Long, { items: array }).length, 20);
  assert.ok(reads() < 100, `${reads()} items were looked at`);
});

test("the one wrong item of many is found", () => {
  const items = [...Array(499).fill({ text: "abc" }), { text: "abcd" }];
  assert.deepEqual(places(Body, { items }), ["/items/499/text must not have more than 3 characters"]);
});

test("an object with far too many names is refused by the first of them", () => {
  const names = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`name${index}`, 0]));
  const errors = validationErrors(Item, { text: "abc", ...names });
  assert.ok(errors.length <= 20, `${errors.length} errors`);
  assert.equal(errors[0]?.instancePath, "/name0");
});

test("a name that is unknown is told once, and as such", () => {
  assert.deepEqual(places(Item, { text: "abc", "a/b~": 1, other: 2 }), [
    "/a~1b~0 is an unknown field",
    "/other is an unknown field",
  ]);
  assert.deepEqual(places(Body, JSON.parse('{"items":[{"text":"abc","__proto__":1}]}')), [
    "/items/0/__proto__ is an unknown field",
  ]);
});

test("wrong values of a record are told until there are enough", () => {
  const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a/b~${index}`, index]));
  const errors = validationErrors(Item, { text: "abc", labels });
  assert.equal(errors.length, 20);
  assert.equal(errors[0]?.instancePath, "/labels/a~1b~00");
});

test("a union is explained by each of its options, also where they are objects", () => {
  const Shape = Type.Union([Type.Object({ round: Type.Boolean() }), Type.Object({ sides: Type.Integer() })]);
  assert.deepEqual(places(Shape, { sides: "four" }), [
    " must have required properties round",
    "/sides must be integer",
  ]);
});

test("what is refused is always explained, as TypeBox would where the value is small", () => {
  const values: unknown[] = [
    undefined,
    null,
    5,
    [],
    {},
    { items: {} },
    { items: [] },
    { items: [0, { text: 1 }] },
    { items: [{ text: "abc", project: "x" }] },
    { items: [{ text: "abc", labels: { red: 1 } }] },
  ];
  const check = Compile(Body);
  for (const value of values) {
    const expected = check.Errors(value).map(({ instancePath, message }) => `${instancePath} ${message}`);
    assert.deepEqual(places(Body, value), expected, JSON.stringify(value));
  }
});

test("what the search does not know is one error", () => {
  const Both = Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]);
  assert.deepEqual(places(Both, { a: "" }), [" does not fit"]);
});
