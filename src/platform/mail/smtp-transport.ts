import { createTransport } from "nodemailer";
import { toNodemailerMailOptions } from "./compose.ts";
import { MailDeliveryError, type MailMessage, type MailTransport } from "./mail-transport.ts";

/** The `mail` section of the configuration file. */
export interface SmtpSettings {
  /** `smtp://` or `smtps://`, with user and password if the server wants them. */
  readonly smtp: string;
  /** `Name <address>`. */
  readonly from: string;
}

/** Milliseconds. A mail server that is slower than this counts as away. */
const timeouts = {
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  dnsTimeout: 5_000,
  socketTimeout: 20_000,
};

/** SMTP replies from 500 on are final, those below mean "later" (RFC 5321, 4.2.1). */
const firstPermanentReply = 500;

/** Sends through the operator's mail server, one connection per message. */
export function createSmtpTransport(settings: SmtpSettings): MailTransport {
  const transporter = createTransport({ url: settings.smtp, ...timeouts });
  return {
    async send(id: string, message: MailMessage): Promise<void> {
      try {
        await transporter.sendMail(toNodemailerMailOptions(id, message, settings.from));
      } catch (error) {
        throw asMailFailure(error);
      }
    },
  };
}

function asMailFailure(error: unknown): MailDeliveryError {
  const code = textOf(error, "code");
  const reply = Number(textOf(error, "responseCode"));
  const reason = Number.isNaN(reply) ? code : `${code}, reply ${reply}`;
  return new MailDeliveryError(reason, isAboutTheMessage(code) && reply >= firstPermanentReply);
}

/** A refused login is final for the server's settings, not for the message. */
function isAboutTheMessage(code: string): boolean {
  return code === "EENVELOPE" || code === "EMESSAGE";
}

function textOf(error: unknown, property: string): string {
  if (typeof error !== "object" || error === null) return "unknown";
  const value: unknown = Reflect.get(error, property);
  return typeof value === "string" || typeof value === "number" ? String(value) : "unknown";
}
