import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { TlsIdentity } from "@frontdesk/kit/http-and-https";
import { StartProblem } from "@frontdesk/kit/problem";

const LOOK_MS = 10_000;

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export const readCertificate = ({ cert, key }: CertificateFiles): TlsIdentity => ({
  cert: readFileSync(cert, "utf8"),
  key: readFileSync(key, "utf8"),
});

/** What the files hold, or a sentence that says which setting names one that cannot be used, and why. */
export function usableCertificate({ cert, key }: CertificateFiles): TlsIdentity {
  const checked = <T>(setting: string, file: string, what: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new StartProblem(
        `${setting} must name a PEM file with ${what}, not "${file}" (${code ?? message}).`,
      );
    }
  };
  const [ofCert, ofKey] = ["a certificate", "the key of LEASE_TLS_CERT, without a passphrase"];
  const certText = checked("LEASE_TLS_CERT", cert, ofCert, () => readFileSync(cert, "utf8"));
  const keyText = checked("LEASE_TLS_KEY", key, ofKey, () => readFileSync(key, "utf8"));
  const certificate = checked("LEASE_TLS_CERT", cert, ofCert, () => new X509Certificate(certText));
  const privateKey = checked("LEASE_TLS_KEY", key, ofKey, () => createPrivateKey(keyText));
  checked("LEASE_TLS_KEY", key, ofKey, () => {
    if (!certificate.checkPrivateKey(privateKey)) throw new Error("the key of another one");
  });
  const identity = { cert: certText, key: keyText };
  // What is wrong with others of its chain, or too weak for TLS.
  checked("LEASE_TLS_CERT", cert, ofCert, () => createSecureContext(identity));
  return identity;
}

/**
 * Looks whether the owner has put another certificate in place. Both files are written one after the other: what does
 * not fit together, or cannot be read, is told once, and the certificate that is shown stays until it does.
 */
export function watchCertificate(
  files: CertificateFiles,
  current: TlsIdentity,
  on: { readonly changed: (identity: TlsIdentity) => void; readonly failed: (error: unknown) => void },
  everyMs = LOOK_MS,
): () => void {
  let shown = textOf(current);
  let refused: string | undefined;
  const look = () => {
    let found = "";
    try {
      const identity = readCertificate(files);
      found = textOf(identity);
      if (found === shown || found === refused) return;
      on.changed(identity);
      shown = found;
      refused = undefined;
    } catch (error) {
      if (found !== refused) on.failed(error);
      refused = found;
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

const textOf = ({ cert, key }: TlsIdentity) => `${cert}\n${key}`;
