import { formatIpv6, parseIpv4, parseIpv6, parsePrefix6 } from "./address.ts";

/**
 * An address, or a network or prefix with its length, in the one way that it is compared, which is how the engine writes it;
 * undefined for what is neither.
 */
export function plainAddress(text: string): string | undefined {
  const [base = "", length = "", ...more] = text.split("/");
  if (parseIpv4(base) !== undefined) {
    if (!text.includes("/")) return text;
    return more.length === 0 && /^\d{1,3}$/.test(length) ? `${base}/${Number(length)}` : undefined;
  }
  const prefix = parsePrefix6(text);
  if (prefix) return `${formatIpv6(prefix.address)}/${prefix.length}`;
  const address = parseIpv6(text);
  return address === undefined ? undefined : formatIpv6(address);
}

/** However each of them is written. */
export const isSameAddress = (one: string, other: string): boolean =>
  one === other || (plainAddress(one) !== undefined && plainAddress(one) === plainAddress(other));
