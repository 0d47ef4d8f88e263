/** A message to one person. */
export interface MailMessage {
  /** A bare address; it is never parsed as a list. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
}

/** Takes a message to where it goes: a mail server, or a folder. */
export interface MailTransport {
  /**
   * Hands over one message. `id` names it for ever, so that a repeated attempt
   * carries the same Message-ID. Rejects with a `MailDeliveryError`.
   */
  send(id: string, message: MailMessage): Promise<void>;
}

/**
 * A message that was not handed over. The text holds codes only: what a mail
 * server says repeats addresses, and those stay out of the log.
 */
export class MailDeliveryError extends Error {
  /** No attempt will ever succeed: the server refused the recipient or the message. */
  readonly permanent: boolean;

  constructor(reason: string, permanent: boolean) {
    super(`The message was not sent: ${reason}.`);
    this.name = "MailDeliveryError";
    this.permanent = permanent;
  }
}
