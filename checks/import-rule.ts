import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "oxc-parser";

/**
 * Who may import whom. Each line is a room, told by its path, and what may not be imported there,
 * told by the path or the package it leads to, with the reason that the person sees.
 */
const FORBIDDEN: ReadonlyArray<{ in: RegExp; to: RegExp; because: string }> = [
  {
    in: /^services\/.*\/domain\//,
    to: /\/(http|adapters|transports|render|delivery)\/|^node:(net|fs|http|https|dgram|tls|child_process|worker_threads)(\/|$)/,
    because: "the domain knows nothing of the outside: declare a port and let an adapter fill it",
  },
  {
    in: /^services\/.*\/codec\//,
    to: /\/(domain|http|adapters|transports|store|net)\/|^node:(net|fs|http|https|dgram|tls)(\/|$)/,
    because: "a codec is pure: bytes in, values out",
  },
  {
    in: /^packages\//,
    to: /^services\/|^@frontdesk\/(avatar|presence|lease|print)/,
    because: "packages do not know the services that use them",
  },
  {
    in: /^services\/.*\/(console|webapp)\//,
    to: /^node:|^@frontdesk\/(?!(ui|lease-(options|config|control-api))(\/|$))|^packages\/|^services\/(?!.*\/(console|webapp)\/)(?!.*\/src\/http\/([^/]*-)?schemas\.ts$)/,
    because:
      "a console knows packages/ui, and its service only by the published schemas (src/http/*schemas.ts) and the rooms made for both",
  },
  {
    in: /^services\/lease\/(options|config|control-api)\/src\//,
    to: /^node:|^services\/lease\/(engine|manager|cli)\/|^@frontdesk\/(?!lease-(options|config)(\/|$))/,
    because: "engine, manager, console and CLI share this room: it runs in a browser and knows none of them",
  },
  {
    in: /^services\/lease\/engine\/src\/(leases|classes)\//,
    to: /\/engine\/src\/(dhcp[46]|store|loop|control|ddns|ha)\/|^node:/,
    because: "leases and classes are pure and know neither packets nor the outside",
  },
  {
    in: /^services\/lease\/engine\/src\/(store|loop|control)\//,
    to: /\/engine\/src\/dhcp[46]\//,
    because: "only the protocols' own rooms know a protocol: take what it gives through a port",
  },
  {
    in: /^services\/lease\/engine\/src\/loop\//,
    to: /\/engine\/src\/(store|control)\//,
    because: "the loop declares the store it needs, and is called by the control API",
  },
  {
    in: /^services\/lease\/engine\/src\/dhcp[46]\//,
    to: /\/engine\/src\/(store|control)\/|^node:(net|fs|http|https|dgram|tls|child_process|worker_threads)(\/|$)/,
    because: "a protocol decides: what it decided is written and sent elsewhere",
  },
  {
    in: /^services\/lease\/engine\/src\/store\//,
    to: /\/engine\/src\/(control|classes)\//,
    because: "the store keeps what it is given",
  },
  {
    in: /^packages\/ui\/src\//,
    to: /^node:|^@frontdesk\/|^packages\/(?!ui\/)/,
    because: "packages/ui runs in a browser and knows nothing of the servers",
  },
  {
    in: /^(services\/.*\/src\/(?<!\/(console|webapp)\/src\/)|packages\/(?!ui\/))/,
    to: /^packages\/ui\/|^@frontdesk\/ui(\/|$)/,
    because: "a server draws no pages: what is for browsers stays in the consoles",
  },
  {
    in: /^(packages|services)\/(?!.*\/test\/)(?!.*\.test\.tsx?$)(?!testkit\/)/,
    to: /^packages\/testkit\/|^@frontdesk\/testkit/,
    because: "the product does not contain its test equipment",
  },
];

const SERVICE = /^services\/([^/]+)\//;

/** Every import that breaks the rule, a sentence each. */
export function brokenImports(root: string, files: readonly string[]): string[] {
  return files
    .filter((file) => SERVICE.test(file) || file.startsWith("packages/"))
    .flatMap((file) =>
      importsOf(join(root, file)).flatMap((specifier) => {
        const target = specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : specifier;
        return complaints(file, target).map((because) => `${file} imports ${specifier}: ${because}.`);
      }),
    );
}

function complaints(file: string, target: string): string[] {
  const service = SERVICE.exec(file)?.[1];
  const targetService =
    SERVICE.exec(target)?.[1] ?? /^@frontdesk\/(avatar|presence|lease|print)/.exec(target)?.[1];
  const foreign = service && targetService && service !== targetService;
  return [
    ...(foreign ? ["services meet over their public interfaces, never by import"] : []),
    ...FORBIDDEN.filter((rule) => rule.in.test(file) && rule.to.test(target)).map((rule) => rule.because),
  ];
}

function importsOf(path: string): string[] {
  const source = readFileSync(path, "utf8");
  const { module } = parseSync(path, source);
  const dynamic = module.dynamicImports.map(({ moduleRequest }) =>
    source.slice(moduleRequest.start, moduleRequest.end).replace(/^['"`]|['"`]$/g, ""),
  );
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) => entry.moduleRequest?.value ?? []),
    ),
    ...dynamic,
  ];
}
