import type { EncryptedReasoning } from "./neutral-request.ts";

/**
 * Wraps what one vendor needs back into one opaque, signed text that a caller of any
 * dialect can carry. An envelope is bound to the upstream and the model that it came from.
 */
export interface ReasoningEnvelopeSealer {
  /**
   * `cw1.` and base64url; the readable text travels along where the vendor signed
   * it. Empty: too large to be carried.
   */
  seal(seal: EncryptedReasoning, texts: readonly string[]): string;
  /** Undefined: not an envelope of ours, tampered with, or from another upstream or model. */
  open(text: string): OpenedReasoningEnvelope | undefined;
}

export interface OpenedReasoningEnvelope {
  readonly encryptedReasoning: EncryptedReasoning;
  /** The words that were signed; a caller may have cut or changed its own copy. */
  readonly texts: readonly string[];
}
