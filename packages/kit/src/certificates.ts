import { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { NAME_CONSTRAINTS, nameConstraints } from "./name-constraints.ts";

const DAY_MS = 24 * 60 * 60_000;
const CA_LIFE_MS = 5 * 365 * DAY_MS;
/** Browsers take a leaf for at most 398 days; of an authority that a person trusts, some for 825. */
const LEAF_LIFE_MS = 397 * DAY_MS;
const MAX_LEAF_LIFE_MS = 820 * DAY_MS;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

x509.cryptoProvider.set(webcrypto as unknown as Crypto);

/** An authority that signs for no other authority, and for no host but those named. */
export async function makeAuthority(
  name: string,
  hosts: readonly string[],
  now: number,
): Promise<KeyAndCertificate> {
  const keys = await newKeys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=${name}, O=Frontdesk`,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + CA_LIFE_MS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.Extension(NAME_CONSTRAINTS, true, nameConstraints(hosts)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { key: await pemOf(keys.privateKey), cert: authority.toString("pem") };
}

/** A server's certificate for host names and addresses. One that is the last lives as long as browsers allow. */
export async function makeLeaf(
  authority: KeyAndCertificate,
  options: { readonly subject: string; readonly hosts: readonly string[]; readonly isLast: boolean },
  now: number,
): Promise<KeyAndCertificate> {
  const { hosts } = options;
  const life = options.isLast ? MAX_LEAF_LIFE_MS : LEAF_LIFE_MS;
  const issuer = new x509.X509Certificate(authority.cert);
  const keys = await newKeys();
  const leaf = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${options.subject}`,
    issuer: issuer.subject,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + life),
    publicKey: keys.publicKey,
    signingKey: await privateKeyFrom(authority.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((value) => ({ type: isIP(value) ? ("ip" as const) : ("dns" as const), value })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer, false),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { key: await pemOf(keys.privateKey), cert: leaf.toString("pem") };
}

/** RFC 5280 section 4.1.2.5: a certificate whose end is not known. */
const NEVER = new Date("9999-12-31T23:59:59Z");

/** A certificate that is known by its fingerprint alone: nobody signs for it, and it does not end. */
export async function makePinned(name: string, now: number): Promise<KeyAndCertificate> {
  const keys = await newKeys();
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=${name}, O=Frontdesk`,
    notBefore: new Date(now - DAY_MS),
    notAfter: NEVER,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([serverAuth, clientAuth]),
    ],
  });
  return { key: await pemOf(keys.privateKey), cert: certificate.toString("pem") };
}

const newKeys = () =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as unknown as Promise<{
    publicKey: CryptoKey;
    privateKey: CryptoKey;
  }>;

async function pemOf(key: CryptoKey): Promise<string> {
  const bytes = await webcrypto.subtle.exportKey("pkcs8", key as never);
  return x509.PemConverter.encode(bytes as ArrayBuffer, "PRIVATE KEY");
}

function privateKeyFrom(pem: string): Promise<CryptoKey> {
  const bytes = x509.PemConverter.decodeFirst(pem);
  return webcrypto.subtle.importKey("pkcs8", bytes, ALGORITHM, false, [
    "sign",
  ]) as unknown as Promise<CryptoKey>;
}

/** Positive, as a serial number has to be. */
function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString("hex");
}
