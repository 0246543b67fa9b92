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
    in: /^services\/avatar\/src\/domain\/(?!avatars\.ts$)/,
    to: /^services\/avatar\/src\/domain\/avatars\.ts$/,
    because:
      "saving an avatar uses accounts and claims, not the other way round: what they share is in owner.ts",
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
    in: /^demo\//,
    to: /^services\/(?!.*\/settings\.ts$)|^@frontdesk\/(avatar|presence|lease|print)/,
    because: "the demo knows the services as others do: by HTTP, by their commands, and by where they listen",
  },
  {
    in: /^services\/.*\/(console|webapp)\//,
    to: /^node:|^@frontdesk\/(?!(ui|lease-(options|config|control-api))(\/|$)|signin\/(pages|page-words|two-step)$)|^packages\/|^services\/(?!.*\/(console|webapp)\/)(?!.*\/src\/http\/([^/]*-)?schemas\.ts$)/,
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
    in: /^services\/lease\/engine\/src\/(dhcp[46]|replay)\//,
    to: /\/engine\/src\/ha\/(?!failover\.ts$)/,
    because: "a protocol asks the pair by its port alone: ha/failover.ts",
  },
  {
    in: /^services\/lease\/engine\/src\/ddns\//,
    to: /\/engine\/src\/(dhcp[46]|store|loop|control|ha)\//,
    because: "DDNS knows leases and DNS servers, not how leases come or are kept",
  },
  {
    in: /^services\/lease\/engine\/src\/ha\/(?!(link-[^/]*|pairing(-[^/]*)?)\.ts$)/,
    to: /\/engine\/src\/(dhcp[46]|store|loop|control|ddns|classes)\/|\/ha\/(link-[^/]*|pairing[^/]*)\.ts$|^node:/,
    because:
      "the rules of the pair are pure: they know leases, and what they decide is written and sent elsewhere",
  },
  {
    in: /^services\/lease\/engine\/src\/ha\/(link-[^/]*|pairing(-[^/]*)?)\.ts$/,
    to: /\/engine\/src\/(dhcp[46]|leases|store|control|ddns|classes)\/|\/loop\/(?!libc\.ts$)|\/ha\/(core|core-state|pair|turn|rights|meeting|receiving|sending|giving|merge|lending)\.ts$/,
    because: "the link and the pairing move octets: what they mean is decided by the rules of the pair",
  },
  {
    in: /^services\/lease\/engine\/src\/store\//,
    to: /\/engine\/src\/(control|classes)\//,
    because: "the store keeps what it is given",
  },
  {
    in: /^services\/.*\/src\/http\//,
    to: /\/src\/(adapters|render|transports|backends|delivery)\//,
    because: "routes speak to the domain; main.ts puts behind its ports what they need",
  },
  {
    in: /^services\/print\/bridge\/src\/(languages|zpl)\//,
    to: /\/bridge\/src\/(http|adapters|transports|backends|protocol)\/|^node:(net|fs|http|https|dgram|tls|child_process|worker_threads)(\/|$)/,
    because: "a printer's language is text and bytes, and knows nobody who speaks it",
  },
  {
    in: /^services\/print\/bridge\/src\/transports\//,
    to: /\/bridge\/src\/(http|adapters|backends|protocol)\//,
    because: "a transport moves bytes and does not know whose",
  },
  {
    in: /^services\/print\/bridge\/src\/protocol\//,
    to: /\/bridge\/src\/(http|adapters|backends|transports)\//,
    because: "the protocol asks the domain; how frames arrive is not its business",
  },
  {
    in: /^services\/presence\/src\/delivery\//,
    to: /\/src\/(http|adapters)\//,
    because: "delivery declares the store and the sender that it needs",
  },
  {
    in: /^packages\/ui\/src\//,
    to: /^node:|^@frontdesk\/|^packages\/(?!ui\/)/,
    because: "packages/ui runs in a browser and knows nothing of the servers",
  },
  {
    in: /^packages\/signin\/pages\//,
    to: /^node:|^@frontdesk\/(?!ui(\/|$))|^packages\/(?!signin\/(pages\/|src\/schemas\.ts$))/,
    because: "the pages of signing in run in a browser: they know packages/ui and the published schemas",
  },
  {
    in: /^(services\/.*\/src\/(?<!\/(console|webapp)\/src\/)|packages\/(?!ui\/|signin\/pages\/))/,
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
    .filter((file) => SERVICE.test(file) || /^(packages|demo)\//.test(file))
    .flatMap((file) =>
      importsOf(join(root, file)).flatMap((specifier) => {
        const target = specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : specifier;
        return complaints(file, target).map((because) => `${file} imports ${specifier}: ${because}.`);
      }),
    );
}

/** Every circle of imports within a package or a service, types included: whoever reads one file of it must read all. */
export function importCircles(root: string, files: readonly string[]): string[] {
  const known = new Set(files);
  const imports = new Map<string, string[]>();
  for (const file of files.filter((each) => SERVICE.test(each) || each.startsWith("packages/"))) {
    const targets = importsOf(join(root, file))
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => posix.join(posix.dirname(file), specifier));
    imports.set(
      file,
      [...new Set(targets)].filter((target) => known.has(target)),
    );
  }
  const circles = new Map<string, string>();
  const done = new Set<string>();
  const path: string[] = [];
  const follow = (file: string) => {
    const at = path.indexOf(file);
    if (at >= 0) {
      const circle = path.slice(at);
      circles.set(circle.toSorted().join(" "), [...circle, file].join(" -> "));
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const target of imports.get(file) ?? []) follow(target);
    path.pop();
    done.add(file);
  };
  for (const file of imports.keys()) follow(file);
  return [...circles.values()];
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
