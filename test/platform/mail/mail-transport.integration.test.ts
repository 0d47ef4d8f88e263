import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MailDeliveryError } from "../../../src/platform/mail/mail-transport.ts";
import { createOutboxTransport } from "../../../src/platform/mail/outbox-transport.ts";
import { createSmtpTransport } from "../../../src/platform/mail/smtp-transport.ts";
import { SmtpSink } from "./smtp-sink.ts";

const message = {
  to: "ann@example.org",
  subject: "Your code",
  text: "Hello\n\n12345678\n\nBye\n",
};

async function failureOf(sending: Promise<void>): Promise<MailDeliveryError> {
  const error: unknown = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof MailDeliveryError))
    throw new Error("no MailDeliveryError", { cause: error });
  return error;
}

describe("createSmtpTransport()", () => {
  const sink = new SmtpSink();
  let smtp = "";
  beforeAll(async () => {
    smtp = await sink.listen();
  });
  afterAll(() => sink.close());
  afterEach(() => {
    sink.replies = {};
    sink.received.length = 0;
  });

  function send(to = message.to, html?: string) {
    const transport = createSmtpTransport({ smtp, from: "Causeway <no-reply@example.org>" });
    return transport.send("mail_1", { ...message, to, html });
  }

  test("[file.smtp] hands a message over, the code alone on its line", async () => {
    await send();
    expect(sink.received).toMatchObject([{ from: "no-reply@example.org", to: [message.to] }]);
    const { content = "" } = sink.received[0] ?? {};
    expect(content).toMatch(/^12345678$/m);
    expect(content).toMatch(/^Message-ID: <mail_1@example\.org>$/m);
    expect(content).toMatch(/^From: Causeway <no-reply@example\.org>$/m);
  });

  test("a repeated attempt has the same Message-ID", async () => {
    await send();
    await send();
    const ids = sink.received.map(({ content }) => /^Message-ID: .*$/m.exec(content)?.[0]);
    expect(new Set(ids).size).toBe(1);
  });

  test("sends text and HTML side by side", async () => {
    await send(message.to, "<p>12345678</p>");
    expect(sink.received[0]?.content).toMatch(/multipart\/alternative/);
  });

  test("an address cannot become two", async () => {
    await send("ann@example.org, bob@example.org").catch(() => undefined);
    expect(sink.received.flatMap(({ to }) => to)).not.toContain("bob@example.org");
  });

  test.each([
    ["a refused recipient is final", { RCPT: "550 5.1.1 no ann@example.org here" }, true],
    ["a full mailbox is not", { RCPT: "452 4.2.2 ann@example.org is full" }, false],
    ["a refused message is final", { ".": "554 5.7.1 spam for ann@example.org" }, true],
    ["a busy server is not", { MAIL: "421 4.3.2 busy" }, false],
    ["a refused sender is final", { MAIL: "550 5.7.1 not you" }, true],
  ])("%s", async (_what, replies, permanent) => {
    sink.replies = replies;
    const failure = await failureOf(send());
    expect(failure.permanent).toBe(permanent);
    expect(`${failure.message} ${failure.stack ?? ""}`).not.toContain("ann@");
    expect(failure.cause).toBeUndefined();
  });

  test("a server that is away is not final", async () => {
    const closed = new SmtpSink();
    const url = await closed.listen();
    await closed.close();
    const transport = createSmtpTransport({ smtp: url, from: "no-reply@example.org" });
    const failure = await failureOf(transport.send("mail_2", message));
    expect(failure).toMatchObject({ permanent: false });
    expect(failure.message).toMatch(/ECONN|ESOCKET/);
  });
});

describe("createOutboxTransport()", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "causeway-outbox-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test("[environment.data-dir] [file.mail] writes one private file per message and names it in the log", async () => {
    const lines = new PassThrough();
    const outbox = join(directory, "outbox");
    const transport = createOutboxTransport(outbox, pino({}, lines));
    await transport.send("mail_3", message);
    await transport.send("mail_3", message);
    expect(await readdir(outbox)).toEqual(["mail_3.eml"]);
    const file = join(outbox, "mail_3.eml");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const content = await readFile(file, "utf8");
    expect(content).toMatch(/^To: ann@example\.org$/m);
    expect(content).toMatch(/^12345678$/m);
    const log = String(lines.read());
    expect(log).toContain(file);
    expect(log).not.toContain("12345678");
    expect(log).not.toContain("ann@");
  });

  test("a folder that cannot be written is a failure for now", async () => {
    const blocked = join(directory, "blocked");
    await writeFile(blocked, "");
    const transport = createOutboxTransport(blocked, pino({ level: "silent" }));
    await expect(transport.send("mail_4", message)).rejects.toMatchObject({
      name: "MailDeliveryError",
      permanent: false,
    });
  });
});
