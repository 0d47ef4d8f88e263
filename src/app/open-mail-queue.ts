import { join } from "node:path";
import { MailQueue } from "../platform/mail/mail-queue.ts";
import type { MailTransport } from "../platform/mail/mail-transport.ts";
import { createOutboxTransport } from "../platform/mail/outbox-transport.ts";
import type { SharedResources } from "./foundation.ts";

/** The queue of outgoing mail: over SMTP where the operator has set it, else into the outbox. Not started yet. */
export async function openMailQueue(foundation: SharedResources): Promise<MailQueue> {
  const { storage, clock, log } = foundation;
  const transport = await openTransport(foundation);
  return new MailQueue({
    fork: () => storage.database.fork(),
    box: storage.box,
    transport,
    clock,
    log,
  });
}

/** The code of SMTP is loaded only where it is used. */
async function openTransport({ configuration, log }: SharedResources): Promise<MailTransport> {
  const { mail, dataDirectory } = configuration;
  if (mail === undefined) return createOutboxTransport(join(dataDirectory, "outbox"), log);
  const { createSmtpTransport } = await import("../platform/mail/smtp-transport.ts");
  return createSmtpTransport(mail);
}
