import { randomBytes } from "node:crypto";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import { keyedHash } from "../platform/crypto/keyed-hash.ts";
import type { SecretBox } from "../platform/crypto/secret-box.ts";
import { readOrCreateSealedSetting } from "./sealed-settings.ts";

const pepperId = "pepper_1";
const pepperBytes = 32;

/** The stored form of a secret, and the pepper it was made with. */
export interface TokenHash {
  /** HMAC-SHA-256, base64url. */
  readonly hash: string;
  readonly pepperId: string;
}

/**
 * Turns keys, session tokens and codes into what is stored of them. The pepper
 * is random and not the master key, so that rotating `CAUSEWAY_SECRET_KEY`
 * invalidates no key.
 */
export class TokenHasher {
  readonly #pepper: Buffer;

  /** `pepper`: 32 bytes. */
  constructor(pepper: Buffer) {
    this.#pepper = pepper;
  }

  /** The hash that a token is stored and looked up by. */
  hash(token: string): TokenHash {
    return { hash: keyedHash(this.#pepper, token).toString("base64url"), pepperId };
  }

  /** 32 bytes for another purpose of this installation; no token has this form. */
  keyFor(purpose: string): Buffer {
    return keyedHash(this.#pepper, `key for: ${purpose}`);
  }
}

/** Opens the installation's pepper, which is made with the first start. */
export async function loadTokenHasher(
  em: EntityManager,
  box: SecretBox,
  clock: Clock,
): Promise<TokenHasher> {
  const pepper = await readOrCreateSealedSetting(em, box, pepperId, makePepper, clock);
  return new TokenHasher(Buffer.from(pepper, "base64"));
}

function makePepper(): string {
  return randomBytes(pepperBytes).toString("base64");
}
