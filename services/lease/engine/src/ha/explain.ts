import type { Core } from "./core-state.ts";
import { type Asked, answers, STARTUP_SECONDS } from "./rights.ts";

/** Why this node of the pair answers a client, or does not, as a sentence for people. */
export function answerText(core: Core, asked: Asked, now: number): string {
  const { state, settings, link } = core;
  if (state === "recover")
    return "The peer has taken over: this node answers nobody until it has received the peer's leases.";
  if (state === "maintenance") return "This node is in maintenance and answers nobody: its peer does.";
  if (state === "startup") return startupText(core, now);
  if (state === "conflict") {
    return settings.role === "primary"
      ? "Both nodes had taken over: until they have compared their leases, this one answers renewals only."
      : "Both nodes had taken over: until they have compared their leases, the primary answers renewals.";
  }
  if (state !== "normal") return `This node is in ${state}: it answers every client.`;
  if (link?.peerBeat?.serving === false)
    return "The peer says that it cannot serve: this node answers every client.";
  const who = answers(core, asked, now) ? "this node" : "the peer";
  if (settings.mode === "hot-standby")
    return `In hot standby the primary answers: ${who}. The other one helps a client that asks for the third time in 30 seconds.`;
  if (asked.owner) return `The owner of its last address answers: ${who}.`;
  return `By the hash of the client's identity, ${who} answers.`;
}

function startupText({ durable, trustsItself, resumedAt }: Core, now: number): string {
  if (durable.handedOver)
    return "This node had handed everything to its peer, and answers nobody until they have met.";
  if (!trustsItself && now - resumedAt < STARTUP_SECONDS)
    return `This node was started less than ${STARTUP_SECONDS} seconds ago, and answers nobody yet: its peer is likely to be there soon.`;
  return "This node was started and has not met its peer: it answers every client.";
}

/** Why there may be no address for a client although some are free. */
export function noAddressText({ durable, settings, plan }: Core, now: number): string {
  const { ownership, takeover, lost, plan: agreement } = durable;
  const { holder } = ownership;
  const reasons = ["that the peer owns", "whose last lease the peer does not know to be over"];
  if (!agreement.agreed && holder !== settings.role)
    return "The two nodes have not agreed upon their pools and reservations yet: until then only the other one gives addresses to new clients.";
  if (agreement.agreed && agreement.agreed.hash !== plan.hash)
    reasons.push("whose use differs in the two configurations");
  if (takeover && ownership.usableFrom > now)
    reasons.push(`that were the peer's before the takeover (until ${timeText(ownership.usableFrom)})`);
  else if (lost)
    reasons.push(`that the peer may have given before it lost its memory (until ${timeText(lost.until)})`);
  return `This node gives a new client no address ${reasons.join(", or ")}.`;
}

const timeText = (seconds: number) => new Date(seconds * 1000).toISOString();
