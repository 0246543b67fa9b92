import type { Role } from "../../src/ha/ownership.ts";
import type { Pause } from "./node-clock.ts";
import { type Random, randomOf } from "./random.ts";
import type { CommitFault } from "./world-node.ts";

/** What is done to the pair. `r` is the seed of all chance within the step, so that steps can be left out. */
export type Step = { readonly r: number } & (
  | { readonly do: "pass"; readonly seconds: number }
  | { readonly do: "cut"; readonly tells: Readonly<Record<Role, boolean>> }
  | { readonly do: "stall"; readonly to: Role; readonly seconds: number }
  | { readonly do: "late old connection"; readonly seconds: number }
  | { readonly do: "double frame" | "swap frames"; readonly to: Role }
  | { readonly do: "partition"; readonly isOn: boolean }
  | { readonly do: "crash" | "start" | "resume"; readonly node: Role }
  /** The machine is started anew, and its process with the next start. */
  | { readonly do: "reboot"; readonly node: Role }
  /** Clients that a node served last send it a RELEASE. */
  | { readonly do: "give back"; readonly node: Role }
  | { readonly do: "pause"; readonly node: Role; readonly how: Pause }
  | { readonly do: "fault"; readonly node: Role; readonly fault: CommitFault }
  | { readonly do: "full disk"; readonly node: Role; readonly seconds: number }
  /** Leases of another server are taken over, of clients that have none. */
  | { readonly do: "import"; readonly node: Role }
  /** Half of the clients send nothing, and believe what they were told. */
  | { readonly do: "silence"; readonly seconds: number }
  | { readonly do: "reach"; readonly reach: Role | "both" }
  | { readonly do: "packets"; readonly lost: number; readonly late: number; readonly doubled: number }
  | { readonly do: "partner-down"; readonly node: Role; readonly isWrong: boolean; readonly ago: number }
  | { readonly do: "maintenance"; readonly node: Role }
  /** Alone: where the peer has not taken over, or is there to be asked. */
  | { readonly do: "resume command"; readonly node: Role; readonly alone?: boolean }
  | { readonly do: "lose disk" | "roll back"; readonly node: Role }
  | { readonly do: "remember disk"; readonly node: Role }
  /** Another machine takes its place, which was in another pair up to an epoch, and is paired with the other node. */
  | { readonly do: "replace"; readonly node: Role; readonly epoch: number }
  /** Started without a peer, and as one of the pair again; both where each knows what the other has. */
  | { readonly do: "leave"; readonly node: Role | "both" }
  | { readonly do: "reload"; readonly node: Role | "both"; readonly plan: number }
  /** The wall clock is set, or slewed, to be that much ahead of true time. */
  | { readonly do: "clock" | "slew"; readonly node: Role; readonly offset: number }
  | { readonly do: "set clocks"; readonly node: Role | "both"; readonly by: number }
  | { readonly do: "lead"; readonly node: Role | "both"; readonly lead: number }
);

export type Bare = Step extends infer S ? (S extends Step ? Omit<S, "r"> : never) : never;

/** What holds for a whole run. */
export interface Setting {
  /**
   * Steady: the clocks differ by anything and are set, and nobody takes over. Near: both stay within skew/2 of true time.
   * Mended: they differ by anything, steadily, until one takes over from the other; from then on they are near.
   */
  readonly clocks: "steady" | "near" | "mended";
  readonly offsets: Readonly<Record<Role, number>>;
  readonly mode: "hot-standby" | "load-balancing";
  readonly partnerDownAfter: number;
  readonly contactTimeout: number;
  readonly addresses: number;
  readonly clients: number;
  /** Every third client asks for leases without an end. */
  readonly hasEndless?: boolean;
}

export const LEAD = 30;
export const SKEW = 3;
/** The plans that a reload may bring; see the world. */
export const PLANS = 3;

const ROLES = ["primary", "secondary"] as const;
/** Of twenty runs. */
const CLOCKS: ReadonlyArray<Setting["clocks"]> = [
  ...Array<"near">(13).fill("near"),
  ...Array<"steady">(3).fill("steady"),
  ...Array<"mended">(4).fill("mended"),
];

export function settingOf(seed: number): Setting {
  const random = randomOf(seed * 2 + 1);
  const clocks = random.pick(CLOCKS);
  const addresses = 3 + random.below(5);
  const offset = () =>
    clocks === "near" ? nearOffset(random) : random.pick([0, 0, 7, -15, -40, 40, 60, 60, 4000, -3600]);
  return {
    clocks,
    offsets: { primary: offset(), secondary: offset() },
    mode: random.chance(0.5) ? "hot-standby" : "load-balancing",
    partnerDownAfter: clocks === "near" && random.chance(0.1) ? 2 * LEAD : 0,
    contactTimeout: random.pick([5, 20]),
    addresses,
    clients: Math.max(3, addresses - 1 + random.below(5)),
  };
}

export const nearOffset = (random: Random) => (random.below(31) - 15) * (SKEW / 30);

/** The steps of a seed: single faults, and now and then a whole story. */
export function stepsOf(seed: number, { clocks }: Setting): Step[] {
  const random = randomOf(seed);
  const steps: Bare[] = [{ do: "pass", seconds: 5 + random.below(15) }];
  const length = 12 + random.below(25);
  const stories = clocks === "steady" ? [...STORIES, lostDisk] : [...STORIES, ...TAKEOVER_STORIES];
  if (clocks === "mended") {
    if (random.chance(0.5)) steps.push(faultOf(random, "steady"), { do: "pass", seconds: passing(random) });
    steps.push(...random.pick(MENDING_STORIES)(random));
  }
  while (steps.length < length) {
    if (random.chance(0.2)) steps.push(...random.pick(stories)(random));
    else steps.push(faultOf(random, clocks));
    steps.push({ do: "pass", seconds: passing(random) });
  }
  return steps.map((step) => ({ ...step, r: random.below(2 ** 31) }) as Step);
}

const passing = (random: Random) => random.pick([1, 1, 2, 3, 5, 8, 12, 20, 35, 70]);
const role = (random: Random): Role => random.pick(ROLES);

function faultOf(random: Random, clocks: Setting["clocks"]): Bare {
  const node = role(random);
  const common: Array<() => Bare> = [
    () => ({ do: "cut", tells: { primary: random.chance(0.7), secondary: random.chance(0.7) } }),
    () => ({ do: "stall", to: node, seconds: 1 + random.below(9) }),
    () => ({ do: "late old connection", seconds: 3 + random.below(20) }),
    () => ({ do: random.pick(["double frame", "swap frames"] as const), to: node }),
    () => ({ do: "partition", isOn: random.chance(0.4) }),
    () => ({ do: "crash", node }),
    () => ({ do: "start", node }),
    () => ({ do: "start", node }),
    () => ({ do: "pause", node, how: howOf(random) }),
    () => ({ do: "resume", node }),
    () => ({ do: "resume", node }),
    () => ({
      do: "fault",
      node,
      fault: random.pick([
        "refused",
        "crash before",
        "crash after",
        "crash after sending",
        "stalls",
      ] as const),
    }),
    () => ({ do: "full disk", node, seconds: 2 + random.below(10) }),
    () => ({ do: "reach", reach: random.pick(["both", "both", "primary", "secondary"] as const) }),
    () => ({ do: "import", node }),
    () => ({ do: "silence", seconds: 10 + random.below(100) }),
    () => ({
      do: "packets",
      lost: random.pick([0, 0, 0.2, 0.5]),
      late: random.pick([0, 0, 0.2]),
      doubled: random.pick([0, 0.2]),
    }),
    () => ({ do: "reload", node: random.pick([...ROLES, "both"] as const), plan: random.below(PLANS) }),
  ];
  const near: Array<() => Bare> = [
    () => ({ do: "partner-down", node, isWrong: random.chance(0.1), ago: random.below(8) }),
    () => ({ do: "maintenance", node }),
    () => ({ do: "resume command", node, alone: random.chance(0.5) }),
    () => ({ do: "lose disk", node }),
    () => ({ do: "remember disk", node }),
    () => ({ do: "roll back", node }),
    () => ({
      do: "lead",
      node: random.pick([...ROLES, "both"] as const),
      lead: random.pick([LEAD, LEAD, 2 * LEAD]),
    }),
  ];
  const moving: Array<() => Bare> = [
    () => ({ do: random.pick(["clock", "slew"] as const), node, offset: nearOffset(random) }),
  ];
  const steady: Array<() => Bare> = [
    () => ({
      do: "set clocks",
      node: random.pick([...ROLES, "both"] as const),
      by: random.pick([-3600, -40, -4, 2, 15, 40, 3600]),
    }),
  ];
  const more = { near: [...moving, ...near], steady, mended: [...moving, ...near] };
  return random.pick([...common, ...more[clocks]])();
}

const howOf = (random: Random): Pause => random.pick(["process", "sleep", "machine"] as const);

export const otherThan = (node: Role): Role => (node === "primary" ? "secondary" : "primary");

/** Alone for a while, both served by clients that see one or both. */
function partition(random: Random): Bare[] {
  return [
    { do: "cut", tells: { primary: random.chance(0.7), secondary: random.chance(0.7) } },
    { do: "partition", isOn: true },
    { do: "reach", reach: random.pick(["both", "primary", "secondary"] as const) },
    { do: "pass", seconds: 5 + random.below(60) },
    { do: "reach", reach: "both" },
    { do: "pass", seconds: random.below(20) },
    { do: "partition", isOn: false },
  ];
}

/** One node hears nothing for a while: acknowledgements and changes are lost on one side. */
function deafness(random: Random): Bare[] {
  const deaf: Bare[] = [
    { do: "stall", to: role(random), seconds: 25 },
    { do: "pass", seconds: 1 + random.below(19) },
  ];
  if (random.chance(0.5)) return [...deaf, { do: "cut", tells: { primary: true, secondary: true } }];
  return [
    ...deaf,
    { do: "partition", isOn: true },
    { do: "reach", reach: random.pick(["both", "both", "primary", "secondary"] as const) },
    { do: "pass", seconds: 5 + random.below(60) },
    { do: "reach", reach: random.pick(["both", "primary", "secondary"] as const) },
    { do: "pass", seconds: random.below(30) },
    { do: "reach", reach: "both" },
    { do: "partition", isOn: false },
  ];
}

/** Leases of the secondary's own addresses are renewed by the primary while the secondary hears nothing, and ends them. */
function crossing(random: Random): Bare[] {
  return [
    { do: "partition", isOn: true },
    { do: "reach", reach: "secondary" },
    { do: "pass", seconds: 8 + random.below(12) },
    { do: "partition", isOn: false },
    { do: "reach", reach: "both" },
    { do: "pass", seconds: 2 + random.below(4) },
    { do: "stall", to: "secondary", seconds: 25 },
    { do: "reach", reach: random.pick(["both", "primary"] as const) },
    { do: "pass", seconds: random.pick([4, 10, 14, 18]) },
    { do: "cut", tells: { primary: true, secondary: true } },
    { do: "pass", seconds: 4 },
    { do: "reach", reach: "both" },
  ];
}

/** A commit goes wrong while something is going on. */
function crashing(random: Random): Bare[] {
  const node = role(random);
  return [
    {
      do: "fault",
      node,
      fault: random.pick(["crash before", "crash after", "crash after sending"] as const),
    },
    { do: "pass", seconds: 1 + random.below(20) },
    { do: "start", node },
  ];
}

/** A commit stalls, its clients sleep after the replies that come then, and others want their addresses. */
function stalledCommit(random: Random): Bare[] {
  const node = role(random);
  return [
    { do: "fault", node, fault: "stalls" },
    { do: "pass", seconds: 5 + random.below(20) },
    ...(random.chance(0.5)
      ? [{ do: "partner-down", node: otherThan(node), isWrong: false, ago: 60 } as const]
      : []),
    { do: "pass", seconds: random.below(15) },
    { do: "resume", node },
    { do: "pass", seconds: 1 },
    { do: "silence", seconds: 80 },
    { do: "pass", seconds: 40 + random.below(40) },
  ];
}

/** Releases wait in the socket of a node that stands still, and the peer gives the clients their addresses again. */
function heldReleases(random: Random): Bare[] {
  const node = role(random);
  return [
    { do: "reach", reach: "both" },
    { do: "pass", seconds: 8 + random.below(8) },
    { do: "pause", node, how: "process" },
    { do: "give back", node },
    { do: "pass", seconds: 12 + random.below(7) },
    { do: "resume", node },
    { do: "pass", seconds: 8 },
  ];
}

function oneSidedReload(random: Random): Bare[] {
  const node = role(random);
  return [
    { do: "reload", node, plan: random.below(PLANS) },
    { do: "pass", seconds: 2 + random.below(30) },
    { do: "reload", node: random.pick([node, otherThan(node), "both"] as const), plan: random.below(PLANS) },
  ];
}

/** A node stops, the other takes over, and the first goes on without contact. */
function takeover(random: Random): Bare[] {
  const node = role(random);
  const isPause = random.chance(0.5);
  const stops: Bare = isPause ? { do: "pause", node, how: howOf(random) } : { do: "crash", node };
  const apart: Bare[] = [
    { do: "clock", node, offset: -SKEW / 2 },
    { do: "clock", node: otherThan(node), offset: SKEW / 2 },
    { do: "pass", seconds: 2 + random.below(10) },
  ];
  return [
    ...(random.chance(0.5) ? apart : []),
    { do: "partition", isOn: true },
    { do: "reach", reach: random.pick(["both", "both", node] as const) },
    { do: "pass", seconds: random.below(20) },
    stops,
    ...(random.chance(0.5) ? [{ do: "silence", seconds: 40 + random.below(100) } as const] : []),
    { do: "reach", reach: "both" },
    { do: "pass", seconds: 7 + random.below(15) },
    { do: "partner-down", node: otherThan(node), isWrong: false, ago: random.pick([0, 10, 60]) },
    { do: "pass", seconds: random.below(70) },
    { do: isPause ? "resume" : "start", node },
    { do: "reach", reach: random.pick(["both", "both", node] as const) },
    { do: "pass", seconds: 5 + random.below(40) },
    { do: "reach", reach: "both" },
    { do: "partition", isOn: false },
  ];
}

/** A node stands still a little longer than goes unnoticed, its clock is set back meanwhile, and the other takes over. */
function hiddenPause(random: Random): Bare[] {
  const node = role(random);
  const packets = (lost: number): Bare => ({ do: "packets", lost, late: 0, doubled: 0 });
  return [
    { do: "clock", node, offset: SKEW / 2 },
    { do: "give back", node },
    packets(0.9),
    { do: "pass", seconds: 5 },
    { do: "partition", isOn: true },
    { do: "pass", seconds: 6 },
    { do: "pause", node, how: random.pick(["process", "sleep"] as const) },
    { do: "pass", seconds: 5 },
    { do: "partner-down", node: otherThan(node), isWrong: false, ago: 60 },
    { do: "clock", node, offset: -SKEW / 2 },
    { do: "pass", seconds: 2 },
    { do: "resume", node },
    { do: "pass", seconds: 20 },
    packets(0),
    { do: "reach", reach: node },
    { do: "pass", seconds: 10 },
    { do: "silence", seconds: 45 },
    { do: "reach", reach: otherThan(node) },
    { do: "pass", seconds: 40 },
    { do: "reach", reach: "both" },
    { do: "partition", isOn: false },
  ];
}

/** A node tells clients something new in its last seconds, with clocks as far apart as they may be. */
function lastWords(random: Random): Bare[] {
  const node = role(random);
  const other = otherThan(node);
  return [
    { do: "clock", node, offset: -SKEW / 2 },
    { do: "clock", node: other, offset: SKEW / 2 },
    { do: "partition", isOn: true },
    { do: "reach", reach: other },
    { do: "pass", seconds: 8 + random.below(15) },
    { do: "reach", reach: node },
    { do: "pass", seconds: 1 },
    { do: "crash", node },
    { do: "reach", reach: "both" },
    { do: "pass", seconds: 13 },
    { do: "partner-down", node: other, isWrong: false, ago: 60 },
    { do: "pass", seconds: 10 + random.below(30) },
    { do: "partition", isOn: false },
    { do: "start", node },
  ];
}

/** What a node tells alone, before it stops, outlasts the wait; those who were told sleep, and others want addresses. */
function longMemories(random: Random): Bare[] {
  const node = role(random);
  return [
    { do: "partition", isOn: true },
    { do: "reach", reach: random.pick(["both", node] as const) },
    { do: "pass", seconds: 1 + random.below(25) },
    { do: "crash", node },
    { do: "silence", seconds: 100 },
    { do: "reach", reach: "both" },
    { do: "pass", seconds: 7 + random.below(5) },
    { do: "partner-down", node: otherThan(node), isWrong: false, ago: 60 },
    { do: "pass", seconds: 40 + random.below(40) },
    { do: "start", node },
    { do: "pass", seconds: 5 + random.below(20) },
    { do: "partition", isOn: false },
  ];
}

/** Leases of another server are taken over by a node that stops right after it, with or without contact. */
function migration(random: Random): Bare[] {
  const node = role(random);
  const apart: Bare = { do: "partition", isOn: true };
  const isApart = random.chance(0.5);
  return [
    { do: "silence", seconds: 120 },
    { do: "give back", node: "primary" },
    { do: "give back", node: "secondary" },
    { do: "pass", seconds: 3 },
    ...(isApart ? [apart, { do: "pass", seconds: 1 + random.below(20) } as const] : []),
    { do: "import", node },
    { do: "pass", seconds: random.below(3) },
    ...(isApart ? [] : [apart]),
    { do: "crash", node },
    { do: "pass", seconds: 7 + random.below(5) },
    { do: "partner-down", node: otherThan(node), isWrong: false, ago: 60 },
    { do: "pass", seconds: 40 + random.below(40) },
    { do: "start", node },
    { do: "pass", seconds: random.below(20) },
    { do: "partition", isOn: false },
  ];
}

/** A machine is gone for about as long as its clock was wrong, and comes back without contact. */
function backAlone(random: Random): Bare[] {
  const node = role(random);
  return [
    { do: "partition", isOn: true },
    { do: "reboot", node },
    { do: "pass", seconds: 7 + random.below(5) },
    { do: "partner-down", node: otherThan(node), isWrong: false, ago: 60 },
    { do: "pass", seconds: 20 + random.below(35) },
    { do: "start", node },
    { do: "pass", seconds: 15 + random.below(20) },
    { do: "partition", isOn: false },
  ];
}

/** Declared while the peer serves. */
function wrongTakeover(random: Random): Bare[] {
  const node = role(random);
  const second: Bare[] = random.chance(0.6)
    ? [{ do: "partner-down", node: otherThan(node), isWrong: true, ago: 0 }]
    : [];
  return [
    { do: "cut", tells: { primary: true, secondary: true } },
    { do: "partition", isOn: true },
    { do: "pass", seconds: 2 + random.below(6) },
    { do: "partner-down", node, isWrong: true, ago: 0 },
    { do: "pass", seconds: random.below(60) },
    ...second,
    { do: "pass", seconds: random.below(50) },
    { do: "partition", isOn: false },
  ];
}

function serviced(random: Random): Bare[] {
  const node = role(random);
  return [
    { do: "maintenance", node },
    { do: "pass", seconds: 1 + random.below(30) },
    ...(random.chance(0.5) ? [{ do: "crash", node } as const, { do: "start", node } as const] : []),
    { do: "partition", isOn: random.chance(0.5) },
    { do: "resume command", node, alone: random.chance(0.5) },
    ...(random.chance(0.5) ? [{ do: "partition", isOn: true } as const] : []),
    { do: "pass", seconds: 5 + random.below(30) },
    { do: "partition", isOn: false },
  ];
}

function lostDisk(random: Random): Bare[] {
  const node = role(random);
  return [
    { do: "remember disk", node },
    { do: "pass", seconds: 3 + random.below(20) },
    { do: random.pick(["lose disk", "roll back"] as const), node },
    { do: "pass", seconds: 1 + random.below(40) },
  ];
}

const STORIES = [
  partition,
  deafness,
  crossing,
  crossing,
  crashing,
  stalledCommit,
  heldReleases,
  oneSidedReload,
];
const TAKEOVER_STORIES = [
  takeover,
  takeover,
  lastWords,
  longMemories,
  migration,
  hiddenPause,
  wrongTakeover,
  serviced,
  lostDisk,
];
/** What may come first where the clocks are wrong until then. */
const MENDING_STORIES = [takeover, longMemories, longMemories, backAlone, backAlone, lostDisk];
