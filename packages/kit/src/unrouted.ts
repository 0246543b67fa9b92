import type { HttpServer } from "./fastify-server.ts";
import type { Refuse } from "./refusal.ts";

/** A path that exists for other methods is 405 and says for which; any other is 404. */
export function answerUnrouted(app: HttpServer, refuse: Refuse): void {
  const routes: Array<{ methods: string[]; path: RegExp }> = [];
  app.addHook("onRoute", ({ method, url }) => {
    // What answers any address is no sign that an address is there.
    if (url !== "/*") routes.push({ methods: [method].flat(), path: pathPattern(url) });
  });
  app.setNotFoundHandler((request, reply) => {
    const pathname = request.url.split("?", 1)[0] ?? "";
    const allowed = new Set(
      routes.filter(({ path }) => path.test(pathname)).flatMap(({ methods }) => methods),
    );
    const requestId = request.id;
    if (allowed.size === 0) return refuse(reply, { status: 404, code: "not_found", requestId });
    reply.header("allow", [...allowed].join(", "));
    return refuse(reply, { status: 405, code: "method_not_allowed", requestId });
  });
}

/** What a route matches, in the router's own writing: `:name` a part of the path, `::` a colon, `*` the rest. */
function pathPattern(route: string): RegExp {
  const source = route.replace(/::|:\w+(?:\(.*?\))?|\*|[.+?^${}()|[\]\\]/g, (token) => {
    if (token === "::") return ":";
    if (token.startsWith(":")) return "[^/]+";
    return token === "*" ? ".*" : `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}
