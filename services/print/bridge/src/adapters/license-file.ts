import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { BridgeError } from "../domain/errors.ts";
import { License } from "../domain/license.ts";

const File = Compile(
  Type.Object({ license: Type.String(), signature: Type.String() }, { additionalProperties: false }),
);
const Content = Compile(License);

/** A license file: the license as text, and an Ed25519 signature over exactly that text. */
export function issueLicense(license: License, signingKey: string): string {
  if (!Content.Check(license)) throw new BridgeError("PROTOCOL_ERROR", "This is not a license.");
  const text = JSON.stringify(license);
  const signature = sign(null, Buffer.from(text), createPrivateKey(signingKey)).toString("base64");
  return `${JSON.stringify({ license: text, signature }, null, 2)}\n`;
}

/** The license in a file, if the holder of the key signed it. */
export function readLicense(file: string, publicKey: string): License {
  const refuse = (why: string): never => {
    throw new BridgeError("PROTOCOL_ERROR", `The license cannot be used: ${why}.`);
  };
  const parsed = parse(file);
  if (!File.Check(parsed)) return refuse("it is not a license file");
  let key: KeyObject;
  try {
    key = createPublicKey(publicKey);
  } catch {
    return refuse("the public key to check it with is not one");
  }
  if (key.asymmetricKeyType !== "ed25519")
    return refuse("the public key to check it with is not an Ed25519 key");
  if (!verify(null, Buffer.from(parsed.license), key, Buffer.from(parsed.signature, "base64"))) {
    return refuse("its signature is not from the holder of the key");
  }
  const license = parse(parsed.license);
  return Content.Check(license) ? license : refuse("what was signed is not a license");
}

export function newSigningKeys(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
