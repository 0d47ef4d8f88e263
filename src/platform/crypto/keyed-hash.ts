import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * HMAC-SHA-256 of a token under the pepper: what is stored of keys, sessions
 * and codes. They are high in entropy, so a slow password hash would buy
 * nothing.
 */
export function keyedHash(pepper: Buffer, text: string): Buffer {
  return createHmac("sha256", pepper).update(text, "utf8").digest();
}

/** Compares two texts in time that depends on neither. */
export function constantTimeEqual(left: string, right: string): boolean {
  const key = Buffer.alloc(32);
  return timingSafeEqual(keyedHash(key, left), keyedHash(key, right));
}
