import type { MailMessage } from "../platform/mail/mail-transport.ts";
import { trimTrailingCharacter } from "../platform/trim-character.ts";

/**
 * The message with the digits alone on a line, and a link that holds a code of its
 * own in its fragment.
 */
export function buildSignInMail(input: {
  readonly mailbox: string;
  readonly code: string;
  readonly linkCode: string;
  readonly publicUrl: string;
}): MailMessage {
  const { mailbox, code, linkCode, publicUrl } = input;
  // In the fragment, so that no server and no proxy on the way logs the code.
  const link = new URL(`${trimTrailingCharacter(publicUrl, "/")}/sign_in`);
  link.hash = new URLSearchParams({ email: mailbox, code: linkCode }).toString();
  return {
    to: mailbox,
    subject: "Your Causeway sign-in code",
    text: [
      "Somebody, probably you, wants to sign in to Causeway with this address.",
      "Your code is",
      "",
      code,
      "",
      "or open this link:",
      "",
      link.href,
      "",
      "It works once and for ten minutes. If it was not you, ignore this message.",
      "",
    ].join("\n"),
  };
}
