import type { TeamRank } from "../account/team-membership.ts";
import { escapeHtml } from "../platform/html.ts";
import type { MailMessage } from "../platform/mail/mail-transport.ts";
import { trimTrailingCharacter } from "../platform/trim-character.ts";

const roleNames: Readonly<Record<TeamRank, string>> = {
  owner: "an owner",
  admin: "an admin",
  editor: "an editor",
  member: "a member",
};

/** The message that carries an invite's link, as plain text and as HTML. */
export function buildInviteMail(input: {
  readonly mailbox: string;
  readonly teamName: string;
  readonly role: TeamRank;
  readonly code: string;
  readonly expiresAt: Date;
  readonly publicUrl: string;
}): MailMessage {
  const { mailbox, role, code, publicUrl } = input;
  const link = buildInviteLink(publicUrl, code);
  const until = `${input.expiresAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const address = escapeHtml(link);
  const invitation = `You are invited to the team "${oneLine(input.teamName)}" on Causeway as ${roleNames[role]}.`;
  const conditions = `The link works until ${until}, once, and for this address only. If you did not expect it, ignore this message.`;
  return {
    to: mailbox,
    subject: "You are invited to a team on Causeway",
    text: [wrap(invitation), "", "To accept, open", "", link, "", wrap(conditions), ""].join("\n"),
    html: [
      wrap(`<p>${escapeHtml(invitation)}</p>`),
      `<p><a\nhref="${address}"\n>Accept the invite</a></p>`,
      `<p>Or open this address:\n${address}</p>`,
      wrap(`<p>${escapeHtml(conditions)}</p>`),
      "",
    ].join("\n"),
  };
}

/** Where an invite is accepted in a browser. */
export function buildInviteLink(publicUrl: string, code: string): string {
  return `${trimTrailingCharacter(publicUrl, "/")}/invites/${code}`;
}

/** Short lines go through the mail as they are; longer ones would have the link encoded, too. */
function wrap(text: string): string {
  return text.replaceAll(/(.{1,72})(?:\s+|$)/g, "$1\n").trimEnd();
}

/** A name must not look like a paragraph of the message. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ");
}
