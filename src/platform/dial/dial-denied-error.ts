/**
 * Why an address is not dialled: `syntax` (not an address we take), `never`
 * (nothing can allow it), `restricted` (private or loopback, or a name that can
 * only be internal), `plaintext` (http without permission).
 */
export type DialDeniedReason = "syntax" | "never" | "restricted" | "plaintext";

/**
 * An address that policy refuses. The message names host and port as they were
 * sent, never what they resolve to, and where the operator could allow the
 * address, the allow-list line that would.
 */
export class DialDeniedError extends Error {
  readonly reason: DialDeniedReason;

  constructor(reason: DialDeniedReason, message: string) {
    super(message);
    this.name = "DialDeniedError";
    this.reason = reason;
  }
}
