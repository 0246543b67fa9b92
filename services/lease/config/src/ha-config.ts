import type { ListenAddress, RawConfig } from "./raw-config.ts";
import type { Report } from "./shape.ts";

/** Where the two engines of a pair are. Which of them this one is was stored when they were paired. */
export interface HaNodes {
  /** Where the primary listens for its peer. */
  readonly primary: ListenAddress;
  /** Where the secondary dials from; the port is for the day when it is a primary. */
  readonly secondary: ListenAddress;
}

/** A pair of engines. Times are seconds. */
export interface HaConfig extends HaNodes {
  readonly mode: "hot-standby" | "load-balancing";
  /** How far beyond what the peer knows a client is told: the maximum client lead time. */
  readonly maxLead: number;
  readonly maxClockSkew: number;
  /** A peer that was silent for so long is not there. */
  readonly contactTimeout: number;
  /** 0: a takeover is declared by hand only. */
  readonly partnerDownAfter: number;
  /** The secondary's part of the free addresses, in percent. */
  readonly share: number;
}

const DEFAULTS = {
  mode: "hot-standby",
  maxLead: 1800,
  maxClockSkew: 10,
  contactTimeout: 5,
  partnerDownAfter: 0,
  share: 50,
} as const;

/** Clocks that differ must matter little beside the lead. */
const MIN_LEAD_IN_SKEWS = 10;

/** The nodes are known, and can be paired, before the pair is switched on. */
export function readHa(
  raw: RawConfig,
  report: Report,
): { ha: HaConfig | undefined; haNodes: HaNodes | undefined } {
  const { ha } = raw;
  if (!ha) return { ha: undefined, haNodes: undefined };
  const maxLead = ha.max_lead?.value ?? DEFAULTS.maxLead;
  const maxClockSkew = ha.max_clock_skew?.value ?? DEFAULTS.maxClockSkew;
  if (maxLead < MIN_LEAD_IN_SKEWS * maxClockSkew) {
    const { place } = ha.max_lead ?? ha.max_clock_skew ?? ha;
    report.add(place, "max_lead must be at least ten times max_clock_skew.");
  }
  const partnerDownAfter = ha.partner_down_after?.value ?? DEFAULTS.partnerDownAfter;
  if (ha.partner_down_after && partnerDownAfter > 0 && partnerDownAfter < maxLead) {
    report.add(
      ha.partner_down_after.place,
      `partner_down_after must be 0 or at least max_lead (${maxLead}).`,
    );
  }
  const primary = ha.primary?.value;
  const secondary = ha.secondary?.value;
  const isOn = ha.enabled?.value ?? false;
  const isMisread = ["primary", "secondary"].some((key) => Object.hasOwn(ha, key) && !ha[key as "primary"]);
  const isSame = primary !== undefined && primary.host === secondary?.host;
  if ((isSame && primary.port === secondary.port) || (isOn && !isMisread && !(primary && secondary))) {
    const { place } = ha.secondary ?? ha.primary ?? ha.enabled ?? ha;
    report.add(place, "primary and secondary must be two addresses.");
  }
  if (!primary || !secondary) return { ha: undefined, haNodes: undefined };
  const haNodes = { primary, secondary };
  if (!isOn) return { ha: undefined, haNodes };
  return {
    ha: {
      mode: ha.mode ?? DEFAULTS.mode,
      ...haNodes,
      maxLead,
      maxClockSkew,
      contactTimeout: ha.contact_timeout ?? DEFAULTS.contactTimeout,
      partnerDownAfter,
      share: ha.share ?? DEFAULTS.share,
    },
    haNodes,
  };
}
