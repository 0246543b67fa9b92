import type { HaInvitation, HaJoined, HaRefusal, HaStatus } from "@frontdesk/lease-control-api/ha";
import { columns, showable } from "./columns.ts";
import type { Answer, Flags } from "./command.ts";
import { type Client, ControlProblem } from "./control-client.ts";

interface HaCommand {
  readonly usage: string;
  readonly about: string;
  readonly words: number;
  readonly run: (client: Client, words: string[], flags: Flags) => Promise<Answer>;
}

const done = (value: unknown, text: string): Answer => ({ ok: true, value, text });

const HA_COMMANDS: ReadonlyMap<string, HaCommand> = new Map(
  Object.entries<HaCommand>({
    status: {
      usage: "ha status",
      about: "the state of this node, of its peer and of what is between them",
      words: 0,
      run: async (client) => {
        const status = await client.call<HaStatus>("GET", "/v1/ha/status");
        return done(status, statusText(status));
      },
    },
    pair: {
      usage: "ha pair",
      about: "on the primary: prints the line to run on the secondary",
      words: 0,
      run: async (client) => {
        const invitation = await client.call<HaInvitation>("POST", "/v1/ha/pair");
        const { address, code, expires_at } = invitation;
        return done(
          invitation,
          `Run this on the secondary, before ${expires_at}:\n\n  leasectl ha join ${address} ${code}`,
        );
      },
    },
    join: {
      usage: "ha join <address> <code>",
      about: "on the secondary: the line that the primary has printed",
      words: 2,
      run: async (client, [address = "", code = ""]) => {
        const joined = await client.call<HaJoined>("POST", "/v1/ha/join", { address, code });
        return done(
          joined,
          joined.enabled
            ? "Paired: this node is the secondary. leasectl ha status tells how the two are."
            : "Paired: this node is the secondary. Switch [ha] on at both and start them again.",
        );
      },
    },
    "partner-down": {
      usage: "ha partner-down [--stopped-at <time>] [--force]",
      about: "the peer has stopped, now or then: take over; --force: also against signs of life",
      words: 0,
      run: async (client, _words, { "stopped-at": stopped, force }) => {
        await client.call("POST", "/v1/ha/partner-down", {
          ...(stopped === undefined ? {} : { stopped_at: stopped }),
          ...(force ? { force } : {}),
        });
        return done({ done: true }, "This node takes over.");
      },
    },
    maintenance: {
      usage: "ha maintenance",
      about: "hand everything over to the peer and stop answering",
      words: 0,
      run: async (client) => {
        await client.call("POST", "/v1/ha/maintenance");
        return done({ done: true }, "This node hands over; leasectl ha status tells when it is done.");
      },
    },
    resume: {
      usage: "ha resume [--alone]",
      about: "end maintenance; --alone: serve without waiting for a peer that has not taken over",
      words: 0,
      run: async (client, _words, { alone }) => {
        await client.call("POST", "/v1/ha/resume", alone ? { alone } : {});
        return done(
          { done: true },
          alone
            ? "This node serves without its peer."
            : "Maintenance has ended: this node serves when it has met its peer. leasectl ha status tells.",
        );
      },
    },
  }),
);

export async function runHa(client: Client, words: string[], flags: Flags): Promise<Answer> {
  const [name = "", ...rest] = words;
  const command = HA_COMMANDS.get(name);
  if (!command || rest.length !== command.words)
    throw new ControlProblem(command ? usageOf(command) : help());
  try {
    return await command.run(client, rest, flags);
  } catch (error) {
    if (!(error instanceof ControlProblem)) throw error;
    const body = error.body as Partial<HaRefusal> | undefined;
    if (!body?.reason) throw error;
    return { ok: false, value: body, text: showable(body.reason) };
  }
}

const usageOf = ({ usage }: HaCommand) => `It is "leasectl ${usage}".`;

const help = () =>
  [...HA_COMMANDS.values()].map(({ usage, about }) => `  ${usage.padEnd(54)} ${about}`).join("\n");

function statusText(status: HaStatus): string {
  const { link, peer, plan, takeover, last_resync } = status;
  const since = peer.since === null ? "" : ` since ${peer.since}`;
  const serving = peer.serving === null ? "" : peer.serving ? ", serving" : ", cannot serve";
  const facts: Array<[string, string | null]> = [
    ["state", `${status.state} since ${status.since}: ${status.reason}`],
    ["role", `${status.role}, ${status.mode}, epoch ${status.epoch}`],
    ["link", link.problem ? `${link.state}: ${link.problem}` : link.state],
    ["peer", peer.state ? `${peer.state}${since}${serving}` : "not there"],
    ["last contact", peer.last_contact],
    ["not acknowledged", `${status.unacked_updates}${seconds(", oldest", status.oldest_unacked_s)}`],
    ["clock difference", `${Math.round(status.clock_difference_ms)} ms`],
    [
      "plan",
      plan.frozen ? "differs: addresses that differ are frozen" : plan.agreed ? "agreed" : "not agreed",
    ],
    ["service", status.service_hash_equal === false ? "clients are told other options or times there" : null],
    ["takeover", takeover && `at ${takeover.at}, the peer's addresses from ${takeover.usable_from}`],
    ["last resync", last_resync && `${last_resync.at}, ${last_resync.rows} rows, ${last_resync.seconds} s`],
    ["handed over", status.state === "maintenance" ? (status.handed_over ? "yes" : "not yet") : null],
    ["conflicts", status.conflicts > 0 ? String(status.conflicts) : null],
    ["advice", status.advice],
  ];
  const lines = facts.flatMap(([name, text]) => (text ? [`${name.padEnd(18)} ${showable(text)}`] : []));
  const pools = status.pools.map((each) => [
    each.subnet,
    each.pool,
    String(each.own_free),
    String(each.peer_free),
    String(each.awaiting),
  ]);
  const table =
    pools.length > 0
      ? `\n\n${columns(["subnet", "pool", "own free", "peer's free", "awaiting"], pools)}`
      : "";
  return lines.join("\n") + table;
}

const seconds = (before: string, value: number | null) =>
  value === null ? "" : `${before} ${value.toFixed(1)} s`;
