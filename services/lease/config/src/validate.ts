import { AddressSet } from "@frontdesk/lease-options/address-map";
import { compileExpression, ExpressionError } from "./class-expression.ts";
import type { ClassRule, Config, Scope } from "./config.ts";
import type { Config6 } from "./config6.ts";
import { readDdns } from "./ddns-config.ts";
import { readHa } from "./ha-config.ts";
import { isRelayKey } from "./identifiers.ts";
import { readOptionBook, readOptionBook6 } from "./option-values.ts";
import { mask, type RawConfig, readRawConfig } from "./raw-config.ts";
import { readNetworks } from "./read-networks.ts";
import { readNetworks6 } from "./read-networks6.ts";
import { type RawScope, readScope } from "./read-scope.ts";
import { readScope6, type ScopeOf6 } from "./read-scope6.ts";
import { Report } from "./shape.ts";
import { ConfigError, type ConfigProblem } from "./toml-document.ts";

/** Reads a configuration whole: it is right in every part, or a ConfigError tells all that is not. */
export const readConfig = (text: string): Config => parseConfig(text).config;

/** The same, with the configuration as it is written: plain data, which can be sent to another thread. */
export function parseConfig(text: string): { raw: RawConfig; config: Config } {
  const { raw, report } = readRawConfig(text);
  return { raw, config: configOf(raw, report) };
}

/**
 * The same of one that is to be used from now on: nothing in it may be without effect. What was so before, under an older
 * engine, say, goes on and is told: whoever changes something else need not put it right first.
 */
export function parseNewConfig(text: string, before?: Config): { raw: RawConfig; config: Config } {
  const parsed = parseConfig(text);
  const known = new Set(before?.unserved.map(({ message }) => message));
  const unserved = parsed.config.unserved.filter(({ message }) => !known.has(message));
  if (unserved.length > 0) throw new ConfigError(unserved);
  return parsed;
}

/** What a configuration says that is already read. Parsing it takes most of the time. */
export function configOf(raw: RawConfig, report = new Report()): Config {
  const book = readOptionBook(raw, report);
  const book6 = readOptionBook6(raw, report);
  checkListeners(raw, report);

  const scopeOf = (from: RawScope) => readScope(from, book, report);
  const scopeOf6: ScopeOf6 = (from) => readScope6(from, book6, report);
  const { server, lease, logging } = raw;
  const scope = scopeOf({
    options: raw.options,
    default_time: lease?.default_time,
    min_time: lease?.min_time,
    max_time: lease?.max_time,
    ...(lease ? { place: lease.place } : {}),
  });
  const classes = readClasses(raw, scopeOf, scopeOf6, report);
  const classNames = new Set(classes.map(({ name }) => name));
  const links = readNetworks(raw, scopeOf, classNames, report);
  const v6 = readConfig6(raw, scopeOf6, classNames, report);
  const ddns = readDdns(raw, report);
  const { ha, haNodes } = readHa(raw, report);
  const unserved = unservedLinks(raw);
  report.throwIfAny(unserved);

  return Object.freeze({
    unserved,
    ddns,
    ha,
    haNodes,
    interfaces: server?.interfaces?.value ?? [],
    listen: server?.listen?.value ?? [],
    listen6: server?.listen6?.value ?? [],
    dhcpv6Enabled: v6.enabled,
    v6,
    controlListen: server?.control_listen ?? { host: "127.0.0.1", port: 31_076 },
    controlToken: server?.control_token,
    controlOpen: server?.control_open ?? false,
    metricsListen: server?.metrics_listen,
    authoritative: server?.authoritative ?? true,
    identity: server?.identity ?? "client_id",
    bootp: server?.bootp ?? false,
    rapidCommit: server?.rapid_commit ?? false,
    runAs: server?.run_as?.value,
    relays: server?.relays ?? [],
    relayNetworks: (server?.relay_networks ?? []).flatMap(({ value }) =>
      "v6" in value ? [] : [{ address: value.address, mask: mask(value.length) }],
    ),
    subnetSelectionRelays: new Set(server?.subnet_selection_relays),
    perPortLimit: lease?.per_port_limit ?? 0,
    defaultTime: 3600,
    minTime: 60,
    maxTime: 86_400,
    offerTime: lease?.offer_time ?? 60,
    declineQuarantine: lease?.decline_quarantine ?? 3600,
    probe: lease?.probe ?? false,
    probeWaitMs: lease?.probe_wait_ms ?? 500,
    eventRetentionDays: lease?.event_retention_days ?? 365,
    maxEvents: lease?.max_events ?? 10_000_000,
    logLevel: logging?.level ?? "info",
    logFileBytes: (logging?.file_size_mb ?? 10) * 1024 * 1024,
    logFiles: logging?.files ?? 5,
    logRingLines: logging?.ring_lines ?? 2000,
    scope,
    customOptions: book.custom,
    classes,
    ...links,
    sortedSubnets: links.subnets.toSorted((a, b) => a.address - b.address),
    asksRelays:
      classes.some(({ matches }) => matches.asksRelay) ||
      links.networks.some(({ reservations }) => [...reservations.keys()].some(isRelayKey)),
  });
}

function readConfig6(
  raw: RawConfig,
  scopeOf: ScopeOf6,
  classNames: ReadonlySet<string>,
  report: Report,
): Config6 {
  const { dhcpv6 } = raw;
  const scope = scopeOf(dhcpv6 ?? {});
  // A time that is given alone keeps the other one in order.
  const validTime = scope.validTime ?? Math.max(7200, 2 * (scope.preferredTime ?? 0));
  return {
    enabled: dhcpv6?.enabled?.value ?? false,
    preference: dhcpv6?.preference ?? 0,
    rapidCommit: dhcpv6?.rapid_commit ?? false,
    addressRegistration: dhcpv6?.address_registration ?? false,
    newLeasesPerHour: dhcpv6?.new_leases_per_hour ?? 65_536,
    preferredTime: scope.preferredTime ?? Math.floor(validTime / 2),
    validTime,
    scope,
    relays: new AddressSet(dhcpv6?.relays),
    ...readNetworks6(raw, scopeOf, classNames, report),
  };
}

function checkListeners(raw: RawConfig, report: Report): void {
  const { server } = raw;
  const interfaces = server?.interfaces;
  const listen = server?.listen;
  const listen6 = server?.listen6;
  const lab = listen?.value.length ? listen : listen6?.value.length ? listen6 : undefined;
  if (interfaces?.value.length && lab) {
    const name = lab === listen ? "listen" : "listen6";
    report.add(lab.place, `${name} is the lab mode and excludes interfaces: give one of them.`);
  }
  const misread =
    server &&
    ["interfaces", "listen", "listen6"].some((key) => Object.hasOwn(server, key) && !server[key as "listen"]);
  const enabled = raw.dhcpv6?.enabled;
  if (enabled?.value && listen?.value.length && !listen6?.value.length && !misread) {
    report.add(enabled.place, 'in the lab, DHCPv6 needs [server] listen6 = ["[::1]:6547"].');
  }
  if (!interfaces?.value.length && !lab && !misread) {
    report.add(
      server?.place ?? raw.place,
      '[server] must name interfaces = ["eth0"], or listen = ["127.0.0.1:6767"] for the lab.',
    );
  }
  if (interfaces && new Set(interfaces.value).size !== interfaces.value.length) {
    report.add(interfaces.place, "interfaces names one of them twice.");
  }
  const wrong = interfaces?.value.find((name) => !isInterfaceName(name));
  if (interfaces && wrong !== undefined) {
    report.add(
      interfaces.place,
      `"${wrong}" cannot be an interface's own name: write the name of at most 15 characters that "ip link" shows first.`,
    );
  }
}

/** Subnets on an interface that is not served. */
function unservedLinks({ server, subnet = [] }: RawConfig): readonly ConfigProblem[] {
  const report = new Report();
  const served = new Set(server?.interfaces?.value);
  for (const { interface: link } of served.size > 0 ? subnet : []) {
    if (link && !served.has(link.value)) {
      report.add(
        link.place,
        `"${link.value}" is none of [server] interfaces: write one of them as it is written there.`,
      );
    }
  }
  return report.problems;
}

/** What the system allows; by alternative names, which may be longer, it tells of no addresses. */
const isInterfaceName = (name: string) =>
  Buffer.byteLength(name) <= 15 && !["", ".", ".."].includes(name) && !/[\s/:]/.test(name);

function readClasses(
  raw: RawConfig,
  scopeOf: (from: RawScope) => Scope,
  scopeOf6: ScopeOf6,
  report: Report,
): ClassRule[] {
  const seen = new Set<string>();
  return (raw.class ?? []).flatMap((rule) => {
    if (!rule.name || !rule.match) {
      if (Object.hasOwn(rule, "name") && Object.hasOwn(rule, "match")) return [];
      report.add(rule.place, "a [[class]] needs name and match.");
      return [];
    }
    if (seen.has(rule.name.value)) report.add(rule.name.place, `there are two classes "${rule.name.value}".`);
    seen.add(rule.name.value);
    const scope = scopeOf(rule);
    const { options6: options, preferred_time, valid_time, place } = rule;
    const scope6 = scopeOf6({ options, preferred_time, valid_time, place });
    try {
      return [{ name: rule.name.value, matches: compileExpression(rule.match.value), scope, scope6 }];
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      const { line, column } = rule.match.place;
      report.add({ line, column: column + 1 + error.at }, `match cannot be read: ${error.message}.`);
      return [];
    }
  });
}
