import assert from "node:assert/strict";
import { Compile } from "typebox/compile";

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}
type Operation = { readonly responses: Readonly<Record<string, Described>> };
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Holds replies against the document that the bridge itself publishes; throws where it does not foretell them. */
export function openApiCheck(document: OpenApi) {
  const routes = Object.entries(document.paths)
    .map(([template, operations]) => ({ template, operations, pattern: patternOf(template) }))
    .sort((one, other) => one.template.split("{").length - other.template.split("{").length);
  return (method: string, path: string, status: number, type: string, body: string): void => {
    const bare = path.split("?")[0] ?? "";
    const operation = method.toLowerCase();
    const route = routes.find(({ pattern, operations }) => pattern.test(bare) && operations[operation]);
    // Preflights, and what no route answers.
    if (!route) return;
    const where = `${method} ${route.template} ${status}`;
    const responses = route.operations[operation]?.responses ?? {};
    const response = responses[status] ?? responses[`${String(status)[0]}XX`];
    assert.ok(response, `${where} is not in the OpenAPI document`);
    if (!response.content || status === 204) {
      assert.equal(body, "", `${where} should have no body`);
      return;
    }
    const media = type.split(";")[0] ?? "";
    const described = response.content[media];
    assert.ok(described, `${where} came as ${media || "nothing"}`);
    if (media !== "application/json") return;
    const value: unknown = JSON.parse(body);
    const problems = [...Compile(described.schema ?? {}).Errors(value)];
    assert.deepEqual(problems.slice(0, 3), [], `${where}: ${body.slice(0, 300)}`);
  };
}

function patternOf(template: string): RegExp {
  const source = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+");
  return new RegExp(`^${source}$`);
}
