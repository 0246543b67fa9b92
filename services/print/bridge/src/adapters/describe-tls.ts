import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { authorityPath, certificatePath } from "@frontdesk/kit/local-ca";

/** The certificates the bridge shows, in words. */
export function describeTls(home: string) {
  const [authority, leaf] = [authorityPath(home), certificatePath(home)].map(
    (path) => new X509Certificate(readFileSync(path)),
  ) as [X509Certificate, X509Certificate];
  const names = (leaf.subjectAltName ?? "").split(", ").map(readName);
  return { authority: inWords(authority), certificate: inWords(leaf), names };
}

/** `DNS:localhost` or `IP Address:0:0:0:0:0:0:0:1`, as a person would write it. */
function readName(name: string): string {
  const plain = name.replace(/^(DNS|IP Address):/, "");
  return isIPv6(plain) ? new URL(`http://[${plain}]`).hostname.slice(1, -1) : plain;
}

const inWords = (certificate: X509Certificate) => ({
  subject: /CN=(.*)/.exec(certificate.subject)?.[1] ?? certificate.subject,
  fingerprint: certificate.fingerprint256,
  valid_from: new Date(certificate.validFrom).toISOString(),
  valid_to: new Date(certificate.validTo).toISOString(),
});
