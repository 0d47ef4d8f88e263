import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { toNodemailerMailOptions } from "./compose.ts";
import { MailDeliveryError, type MailMessage, type MailTransport } from "./mail-transport.ts";

const from = "Causeway <no-reply@localhost>";

/**
 * Writes messages as `<directory>/<id>.eml` (mode 0600), for an installation
 * without a mail server; the log names the file. A repeated attempt writes the
 * same file.
 */
export function createOutboxTransport(directory: string, log: Logger): MailTransport {
  return {
    async send(id: string, message: MailMessage): Promise<void> {
      // Loaded with the first message: no start has to wait for it.
      const { createTransport } = await import("nodemailer");
      const composer = createTransport({ streamTransport: true, buffer: true, newline: "unix" });
      const composed = await composer.sendMail(toNodemailerMailOptions(id, message, from));
      const file = join(directory, `${id}.eml`);
      await writeWhole(directory, file, composed.message);
      log.info({ file }, `no mail server is configured: the message is in ${file}`);
    },
  };
}

/** Whoever watches the folder sees a message whole or not at all. */
async function writeWhole(
  directory: string,
  file: string,
  content: Parameters<typeof writeFile>[1],
): Promise<void> {
  const temporary = `${file}.part`;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(temporary, content, { mode: 0o600 });
    await rename(temporary, file);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new MailDeliveryError(`the outbox cannot be written (${reason})`, false);
  }
}
