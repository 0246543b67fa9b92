import { readFileSync } from "node:fs";
import type { TlsIdentity } from "@frontdesk/kit/http-and-https";

const LOOK_MS = 10_000;

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export const readCertificate = ({ cert, key }: CertificateFiles): TlsIdentity => ({
  cert: readFileSync(cert, "utf8"),
  key: readFileSync(key, "utf8"),
});

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
