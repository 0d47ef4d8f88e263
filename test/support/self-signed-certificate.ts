import { generateKeyPairSync, sign } from "node:crypto";

/** A key and a certificate in PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
const names = sequence(
  Buffer.from("82096c6f63616c686f7374", "hex"),
  Buffer.from("87047f000001", "hex"),
);

/** A certificate of `localhost` and 127.0.0.1 that nobody has signed but itself; good for a day. */
export function selfSignedCertificate(): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const commonName = sequence(oid("550403"), tagged(0x0c, Buffer.from("localhost")));
  const name = sequence(tagged(0x31, commonName));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - 3_600_000), time(Date.now() + 86_400_000)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(sequence(oid("551d11"), tagged(0x04, names)))),
  );
  const signature = tagged(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  const der = sequence(body, ecdsaWithSha256, signature);
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`,
  };
}

/** A value of the distinguished encoding rules (X.690): tag, length, content. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

/** `YYMMDDHHMMSSZ` */
function time(at: number): Buffer {
  const digits = new Date(at)
    .toISOString()
    .replaceAll(/[^0-9]/g, "")
    .slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}
