import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { authorityPath, certificatePath } from "./local-ca.ts";

/** The certificates the bridge shows, in words. */
export function describeTls(home: string) {
  const [authority, leaf] = [authorityPath(home), certificatePath(home)].map(
    (path) => new X509Certificate(readFileSync(path)),
  ) as [X509Certificate, X509Certificate];
  const names = (leaf.subjectAltName ?? "").split(", ").map((name) => name.replace(/^(DNS|IP Address):/, ""));
  return { authority: inWords(authority), certificate: inWords(leaf), names };
}

const inWords = (certificate: X509Certificate) => ({
  subject: /CN=(.*)/.exec(certificate.subject)?.[1] ?? certificate.subject,
  fingerprint: certificate.fingerprint256,
  valid_from: new Date(certificate.validFrom).toISOString(),
  valid_to: new Date(certificate.validTo).toISOString(),
});
