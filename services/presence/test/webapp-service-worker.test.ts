import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

const SOURCE = readFileSync(new URL("../webapp/public/service-worker.js", import.meta.url), "utf8");
/** What the service says with each of its pages. */
const OURS = { "x-pages-version": "0123456789abcdef" };
const ORIGIN = "https://presence.example";

type Handler = (event: object) => void;

/** A browser with the worker in it, as far as the worker asks for one. */
function browser() {
  const kept = new Map<string, Response>();
  const handlers = new Map<string, Handler>();
  const network = new Map<string, () => Response | Promise<Response>>();
  const timers: Array<() => void> = [];
  const state = { hasRoom: true, mayKeep: true };
  const urlOf = (what: string | { url: string }) =>
    new URL(typeof what === "string" ? what : what.url, ORIGIN).href;
  const fetched = async (what: string | { url: string }) => {
    const answer = network.get(new URL(urlOf(what)).pathname);
    if (!answer) throw new TypeError("Failed to fetch");
    return answer();
  };
  const cache = {
    match: async (what: string | { url: string }) => kept.get(urlOf(what))?.clone(),
    keys: async () => [...kept.keys()].map((url) => ({ url })),
    delete: async (what: { url: string }) => kept.delete(urlOf(what)),
    put: async (what: string | { url: string }, reply: Response) => {
      if (!state.hasRoom) throw new Error("QuotaExceededError");
      kept.set(urlOf(what), reply);
    },
  };
  const caches = {
    open: async () => {
      if (!state.mayKeep) throw new Error("SecurityError");
      return cache;
    },
  };
  const self = {
    addEventListener: (kind: string, handler: Handler) => handlers.set(kind, handler),
    location: { origin: ORIGIN },
    skipWaiting: () => {},
  };
  class Asked {
    readonly url: string;
    constructor(url: string) {
      this.url = urlOf(url);
    }
  }
  const setTimeout = (act: () => void) => timers.push(act);
  runInNewContext(SOURCE, { self, caches, fetch: fetched, URL, Response, Request: Asked, setTimeout });
  const pending: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => pending.push(work);
  return {
    state,
    keptPaths: () => [...kept.keys()].map((url) => new URL(url).pathname).sort(),
    serve: (path: string, text: string, type = "text/html", status = 200) =>
      network.set(path, () => new Response(text, { status, headers: { ...OURS, "content-type": type } })),
    /** Something else answers in the service's place. */
    proxy: (path: string, text: string, status: number) =>
      network.set(path, () => new Response(text, { status, headers: { "content-type": "text/html" } })),
    keep: (path: string, text: string) => kept.set(ORIGIN + path, new Response(text)),
    away: () => network.clear(),
    /** The server takes the question, and answers when it is told to. */
    hang: (path: string) => {
      const { promise, resolve } = Promise.withResolvers<Response>();
      network.set(path, () => promise);
      return (text: string) =>
        resolve(new Response(text, { headers: { ...OURS, "content-type": "text/html" } }));
    },
    letTimePass: () => {
      for (const act of timers.splice(0)) act();
    },
    /** As `get`, without waiting for what the worker does beside it. */
    begin: (path: string): Promise<string> => {
      const { promise, resolve } = Promise.withResolvers<Response>();
      handlers.get("fetch")?.({
        request: { url: ORIGIN + path, method: "GET", mode: "navigate" },
        waitUntil,
        respondWith: (work: Promise<Response>) => resolve(work),
      });
      return promise.then((reply) => reply.text());
    },
    settled: () => Promise.all(pending.splice(0)),
    install: async () => {
      handlers.get("install")?.({ waitUntil });
      await Promise.all(pending.splice(0));
    },
    /** What the page gets, once the worker has done what it does beside that. */
    get: async (path: string, mode = "navigate") => {
      const answers: Promise<Response>[] = [];
      const request = { url: ORIGIN + path, method: "GET", mode };
      handlers.get("fetch")?.({
        request,
        waitUntil,
        respondWith: (work: Promise<Response>) => answers.push(work),
      });
      const [answer] = answers;
      if (!answer) return "left to the browser";
      const text = await answer.then((reply) => reply.text());
      await Promise.all(pending.splice(0));
      return text;
    },
  };
}

test("the page and its files are kept, and are there without the server; a new page takes the place of the old one", async () => {
  const { serve, install, get, away, keptPaths } = browser();
  serve("/", "<script src=/assets/one.js>");
  serve("/acme/board", "<script src=/assets/one.js>");
  serve("/assets/one.js", "one", "text/javascript");
  await install();
  assert.equal(await get("/acme/board"), "<script src=/assets/one.js>");
  assert.equal(await get("/assets/one.js", "no-cors"), "one");
  away();
  assert.equal(await get("/acme/board"), "<script src=/assets/one.js>");
  assert.equal(await get("/assets/one.js", "no-cors"), "one");
  assert.equal(await get("/s/secret"), "left to the browser");
  serve("/acme/board", "<script src=/assets/two.js>");
  assert.equal(await get("/acme/board"), "<script src=/assets/two.js>");
  assert.deepEqual(keptPaths(), ["/"]);
});

test("a page behind a proxy whose service is stopped is the kept one; without one it is what the proxy says", async () => {
  const { serve, install, get } = browser();
  serve("/acme/board", "Bad Gateway", "text/html", 502);
  assert.equal(await get("/acme/board"), "Bad Gateway");
  serve("/", "the page");
  await install();
  assert.equal(await get("/acme/board"), "the page");
});

test("a page that is not there is told by the service; where a proxy says so the service is away", async () => {
  const { serve, proxy, install, get } = browser();
  serve("/", "the page");
  await install();
  serve("/ACME", "nothing is here", "text/html", 404);
  assert.equal(await get("/ACME"), "nothing is here");
  proxy("/acme/board", "404 page not found", 404);
  assert.equal(await get("/acme/board"), "the page");
});

test("what a proxy shows in the place of the page is not kept: to sign in there, or that work is going on", async () => {
  const { serve, proxy, install, get, away } = browser();
  proxy("/", "Sign in to the network", 200);
  await install();
  away();
  await assert.rejects(get("/acme/board"));
  serve("/acme/board", "the page");
  assert.equal(await get("/acme/board"), "the page");
  proxy("/acme/board", "Sign in to the network", 200);
  assert.equal(await get("/acme/board"), "Sign in to the network", "by whom it must be seen");
  away();
  assert.equal(await get("/acme/board"), "the page");
});

test("what a proxy answers in the place of a file is not kept, and one that was kept before is thrown away", async () => {
  const { serve, proxy, get, away, keep } = browser();
  proxy("/assets/one.js", "Work is going on", 200);
  assert.equal(await get("/assets/one.js", "no-cors"), "Work is going on");
  serve("/assets/one.js", "one", "text/javascript");
  assert.equal(await get("/assets/one.js", "no-cors"), "one");
  keep("/assets/two.js", "Work is going on");
  serve("/assets/two.js", "two", "text/javascript");
  assert.equal(await get("/assets/two.js", "no-cors"), "two");
  away();
  assert.equal(await get("/assets/two.js", "no-cors"), "two");
});

test("where the server hangs, the kept page is shown after a while, and what is answered in the end is kept for the next time", async () => {
  const { serve, install, begin, hang, letTimePass, settled, get, away } = browser();
  serve("/", "the old page");
  await install();
  const answer = hang("/acme/board");
  const page = begin("/acme/board");
  letTimePass();
  assert.equal(await page, "the old page");
  answer("the new page");
  await settled();
  await settled();
  away();
  assert.equal(await get("/acme/board"), "the new page");
});

test("where the server hangs and nothing is kept, the page is what it answers in the end", async () => {
  const { begin, hang, letTimePass } = browser();
  const answer = hang("/acme/board");
  const page = begin("/acme/board");
  letTimePass();
  answer("the page");
  assert.equal(await page, "the page");
});

for (const [name, change] of [
  ["has no room", { hasRoom: false }],
  ["keeps nothing for the site", { mayKeep: false }],
] as const) {
  test(`where the browser ${name}, pages and files are what the network has answered`, async () => {
    const { serve, install, get, state } = browser();
    serve("/", "the old page");
    await install();
    Object.assign(state, change);
    serve("/acme/board", "the new page");
    serve("/assets/new.js", "new", "text/javascript");
    assert.equal(await get("/acme/board"), "the new page");
    assert.equal(await get("/assets/new.js", "no-cors"), "new");
    await install();
  });
}
