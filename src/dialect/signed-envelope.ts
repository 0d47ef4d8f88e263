import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from "node:crypto";
import { asArrayOrEmpty, asObject, asString } from "./json.ts";
import type { OpenedReasoningEnvelope, ReasoningEnvelopeSealer } from "./reasoning-envelope.ts";
import type { EncryptedReasoning } from "./neutral-request.ts";

/** Bytes of an envelope; what would be larger is not carried at all. */
export const maxReasoningEnvelopeBytes = 256 * 1024;

const prefix = "cw1.";
const macBytes = 16;

/** What an envelope is bound to: it opens nowhere else. */
export interface ReasoningEnvelopeBinding {
  /** Of this installation, at least 32 random bytes. */
  readonly key: Buffer;
  /** Vendor id or `custom/<slug>`. */
  readonly upstream: string;
  /** Model id as the upstream knows it. */
  readonly model: string;
}

/** The envelope of one upstream and model. Equal seals give equal texts, so that prompt caches hold. */
export function createReasoningEnvelopeSealer({
  key,
  ...binding
}: ReasoningEnvelopeBinding): ReasoningEnvelopeSealer {
  // Made once: to make it of the bytes costs more than the digest.
  const signer: EnvelopeSigner = { ...binding, key: createSecretKey(key) };
  return {
    seal(seal, texts) {
      const payload = Buffer.from(JSON.stringify(packEnvelope(seal, texts))).toString("base64url");
      const text = `${prefix}${payload}.${macOf(signer, payload).toString("base64url")}`;
      return text.length > maxReasoningEnvelopeBytes ? "" : text;
    },
    open(text) {
      const payload = provenPayload(signer, text);
      return payload === undefined ? undefined : unpack(payload);
    },
  };
}

interface EnvelopeSigner extends Omit<ReasoningEnvelopeBinding, "key"> {
  readonly key: KeyObject;
}

/** Whether a text claims to be an envelope of ours; it may still be forged, or another upstream's. */
export function isReasoningEnvelope(text: string): boolean {
  return text.startsWith(prefix);
}

function macOf(binding: EnvelopeSigner, payload: string): Buffer {
  const bound = JSON.stringify([prefix, binding.upstream, binding.model, payload]);
  return createHmac("sha256", binding.key).update(bound).digest().subarray(0, macBytes);
}

function provenPayload(binding: EnvelopeSigner, text: string): string | undefined {
  if (!isReasoningEnvelope(text) || text.length > maxReasoningEnvelopeBytes) return undefined;
  const [payload = "", mac = "", ...rest] = text.slice(prefix.length).split(".");
  const given = Buffer.from(mac, "base64url");
  if (rest.length > 0 || given.length !== macBytes) return undefined;
  return timingSafeEqual(given, macOf(binding, payload)) ? payload : undefined;
}

/** Kinds as one or two letters: envelopes travel with every request of a conversation. */
function packEnvelope(seal: EncryptedReasoning, texts: readonly string[]) {
  switch (seal.kind) {
    case "thinking":
      return { k: "m", t: texts, s: seal.signature };
    case "redacted":
      return { k: "mr", d: seal.data };
    case "encrypted":
      return { k: "r", t: texts, i: seal.id, e: seal.encryptedContent };
    case "plain":
      return { k: "c", t: texts };
  }
}

function unpack(payload: string): OpenedReasoningEnvelope | undefined {
  const fields = asObject(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
  const seal = fields === undefined ? undefined : sealOf(fields);
  if (seal === undefined) return undefined;
  return {
    encryptedReasoning: seal,
    texts: asArrayOrEmpty(fields?.["t"]).flatMap((text) => asString(text) ?? []),
  };
}

function sealOf(fields: Readonly<Record<string, unknown>>): EncryptedReasoning | undefined {
  const field = (name: string) => asString(fields[name]) ?? "";
  switch (fields["k"]) {
    case "m":
      return { dialect: "dialect_messages", kind: "thinking", signature: field("s") };
    case "mr":
      return { dialect: "dialect_messages", kind: "redacted", data: field("d") };
    case "r":
      return {
        dialect: "dialect_responses",
        kind: "encrypted",
        id: field("i"),
        encryptedContent: field("e"),
      };
    case "c":
      return { dialect: "dialect_chat", kind: "plain" };
    default:
      return undefined;
  }
}
