import assert from "node:assert/strict";
import { Compile } from "typebox/schema";
import type { Presence } from "../src/presence.ts";

interface Described {
  readonly paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: object }> }> }>
  >;
  readonly components: object;
}

type Check = (status: number, body: unknown) => void;
type Checks = Array<{ method: string; path: RegExp; check: Check }>;
const known = new WeakMap<object, Map<string, Checks>>();

/** Holds what an endpoint answered against what the OpenAPI document says that it answers. */
export async function assertFits(
  presence: Pick<Presence, "app">,
  method: string,
  url: string,
  status: number,
  body: unknown,
  document = "/api/v1/external/openapi.json",
): Promise<void> {
  const documents = known.get(presence.app) ?? new Map<string, Checks>();
  known.set(presence.app, documents);
  const checks = documents.get(document) ?? (await readDocument(presence, document));
  documents.set(document, checks);
  const pathname = url.split("?", 1)[0] ?? "";
  checks.find((each) => each.method === method && each.path.test(pathname))?.check(status, body);
}

async function readDocument({ app }: Pick<Presence, "app">, document: string): Promise<Checks> {
  const { paths, components }: Described = (await app.inject(document)).json();
  // The paths without parameters first: `members/status:batch` is no member.
  const ordered = Object.entries(paths).sort(([a], [b]) => a.split("{").length - b.split("{").length);
  return ordered.flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, { responses }]) => {
      const compiled = new Map<number, ReturnType<typeof Compile>>();
      const check: Check = (status, body) => {
        const reply = responses[status];
        assert.ok(reply, `${verb} ${path} does not say that it answers ${status}`);
        const schema = Object.values(reply.content ?? {})[0]?.schema;
        if (!schema) return;
        const validator = compiled.get(status) ?? Compile({ ...schema, components } as never);
        compiled.set(status, validator);
        const [fits, errors] = [validator.Check(body), () => JSON.stringify(validator.Errors(body))];
        assert.ok(fits, `${verb} ${path} answered ${status} with ${JSON.stringify(body)}: ${errors()}`);
      };
      return {
        method: verb.toUpperCase(),
        path: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
        check,
      };
    }),
  );
}
