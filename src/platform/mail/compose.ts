import type { MailMessage } from "./mail-transport.ts";

/** What the mail library composes a message from. */
export interface NodemailerMessage {
  readonly from: string;
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly messageId: string;
  readonly disableFileAccess: true;
  readonly disableUrlAccess: true;
}

/**
 * Turns a message into the mail library's terms. The recipient is passed as one
 * address, so that nothing in it can add another.
 */
export function toNodemailerMailOptions(
  id: string,
  message: MailMessage,
  from: string,
): NodemailerMessage {
  return {
    from,
    to: { name: "", address: message.to },
    subject: message.subject,
    text: message.text,
    ...(message.html === undefined ? {} : { html: message.html }),
    messageId: `<${id}@${domainOf(from)}>`,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function domainOf(from: string): string {
  return /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
}
