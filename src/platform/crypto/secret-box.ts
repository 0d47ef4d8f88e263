import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Where a sealed value lives: a ciphertext moved to another place does not open. */
export interface SealedValueBinding {
  readonly table: string;
  readonly row: string;
  readonly column: string;
}

const version = "v1";
const ivLength = 12;
const tagLength = 16;

/** Other work has its turn after each of these, while a large value is sealed. */
const stepBytes = 1024 * 1024;

/** Sealed values are in base64. */
const sealedGrowth = 4 / 3;

/** Bytes of a sealed value of so many bytes, but for its keys. */
export function estimateSealedByteLength(bytes: number): number {
  return bytes * sealedGrowth;
}

/** Bytes of what is in a sealed value of so many bytes. */
export function estimateOpenedByteLength(bytes: number): number {
  return bytes / sealedGrowth;
}

/**
 * Envelope encryption of values at rest. Each value has a random data key of its own,
 * AES-256-GCM, wrapped by a master key; both layers are bound to the row. The sealed form
 * is one string, `v1.<master key id>.<wrapped data key>.<ciphertext>`, so that rotating the
 * master key re-wraps 32 bytes and leaves the ciphertext alone.
 */
export class SecretBox {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #currentId: string;

  /** `keys`: 32 bytes each; the first seals, all open. */
  constructor(keys: readonly Buffer[]) {
    const identified = keys.map((key) => [masterKeyId(key), key] as const);
    const first = identified[0];
    if (first === undefined) throw new Error("A secret box needs at least one master key.");
    this.#keys = new Map(identified);
    this.#currentId = first[0];
  }

  /** Seals a value for one place. */
  seal(plaintext: string, binding: SealedValueBinding): string {
    const dataKey = randomBytes(32);
    const wrapped = this.#wrap(dataKey, binding);
    const ciphertext = encrypt(
      dataKey,
      Buffer.from(plaintext, "utf8"),
      associatedData(binding, "data"),
    );
    return `${wrapped}.${ciphertext.toString("base64url")}`;
  }

  /**
   * Seals the value that the pieces are together. No piece breaks a character in two.
   * Where it is large, the event loop has its turn between the pieces and inside them.
   */
  async sealPieces(pieces: Iterable<string>, binding: SealedValueBinding): Promise<string> {
    const dataKey = randomBytes(32);
    const { iv, cipher } = beginCipher(dataKey, associatedData(binding, "data"));
    const sealed = [`${this.#wrap(dataKey, binding)}.`];
    let rest: Buffer = iv;
    const push = (bytes: Buffer): void => {
      const all = Buffer.concat([rest, bytes]);
      // Base64 of whole groups can be joined.
      const whole = all.length - (all.length % 3);
      sealed.push(all.toString("base64url", 0, whole));
      rest = all.subarray(whole);
    };
    for (const piece of pieces) {
      if (piece.length >= stepBytes) await nextTurn();
      const bytes = Buffer.from(piece, "utf8");
      for (let at = 0; at < bytes.length; at += stepBytes) {
        if (bytes.length > stepBytes) await nextTurn();
        push(cipher.update(bytes.subarray(at, at + stepBytes)));
      }
    }
    push(cipher.final());
    sealed.push(Buffer.concat([rest, cipher.getAuthTag()]).toString("base64url"));
    return sealed.join("");
  }

  /** Opens a value sealed for that place. Throws `SealError` for a wrong key, place or form. */
  open(sealed: string, binding: SealedValueBinding): string {
    return this.openBytes(sealed, binding).toString("utf8");
  }

  /** Opens a value as `open` does, and returns its UTF-8. */
  openBytes(sealed: string, binding: SealedValueBinding): Buffer {
    const { dataKey, ciphertext } = this.#unwrap(sealed, binding);
    return decrypt(dataKey, ciphertext, associatedData(binding, "data"));
  }

  /** Wraps the data key under the first master key; the ciphertext stays. */
  rewrap(sealed: string, binding: SealedValueBinding): string {
    const { dataKey, ciphertext } = this.#unwrap(sealed, binding);
    return `${this.#wrap(dataKey, binding)}.${ciphertext.toString("base64url")}`;
  }

  /** Whether the first master key wraps the value. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${version}.${this.#currentId}.`);
  }

  #wrap(dataKey: Buffer, binding: SealedValueBinding): string {
    const id = this.#currentId;
    const wrapped = encrypt(this.#masterKey(id), dataKey, associatedData(binding, id));
    return `${version}.${id}.${wrapped.toString("base64url")}`;
  }

  #unwrap(sealed: string, binding: SealedValueBinding): { dataKey: Buffer; ciphertext: Buffer } {
    const [form, id, wrapped, ciphertext] = sealed.split(".");
    if (form !== version || !id || !wrapped || !ciphertext) throw new SealError("malformed");
    const dataKey = decrypt(
      this.#masterKey(id),
      Buffer.from(wrapped, "base64url"),
      associatedData(binding, id),
    );
    return { dataKey, ciphertext: Buffer.from(ciphertext, "base64url") };
  }

  #masterKey(id: string): Buffer {
    const key = this.#keys.get(id);
    if (key === undefined) throw new SealError("sealed under a master key that is not configured");
    return key;
  }
}

/** A sealed value that cannot be opened. Says why, never what. */
export class SealError extends Error {
  constructor(reason: string) {
    super(`A sealed value cannot be opened: ${reason}.`);
    this.name = "SealError";
  }
}

/** Names a master key without telling anything of it. */
function masterKeyId(key: Buffer): string {
  return createHash("sha256")
    .update("causeway master key id\0")
    .update(key)
    .digest("hex")
    .slice(0, 8);
}

function associatedData(binding: SealedValueBinding, layer: string): Buffer {
  return Buffer.from(
    JSON.stringify([version, binding.table, binding.row, binding.column, layer]),
    "utf8",
  );
}

function encrypt(key: Buffer, plaintext: Buffer, associated: Buffer): Buffer {
  const { iv, cipher } = beginCipher(key, associated);
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function beginCipher(key: Buffer, associated: Buffer) {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: tagLength });
  cipher.setAAD(associated);
  return { iv, cipher };
}

function decrypt(key: Buffer, sealed: Buffer, associated: Buffer): Buffer {
  if (sealed.length < ivLength + tagLength) throw new SealError("too short");
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, ivLength), {
    authTagLength: tagLength,
  });
  decipher.setAAD(associated);
  decipher.setAuthTag(sealed.subarray(-tagLength));
  try {
    return Buffer.concat([
      decipher.update(sealed.subarray(ivLength, -tagLength)),
      decipher.final(),
    ]);
  } catch {
    throw new SealError("wrong master key or wrong place");
  }
}
