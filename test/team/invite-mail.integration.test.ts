/** The mail of an invite. */
import { createServer, type AddressInfo, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MailDeliveryError } from "../../src/platform/mail/mail-transport.ts";
import { OutgoingMailEntity } from "../../src/platform/mail/outgoing-mail.entity.ts";
import { buildInviteMail } from "../../src/team/invite-mail.ts";
import { createInvite, resendInvite, revokeInvite } from "../../src/team/invites.ts";
import { useAccountFixture } from "../account/account-fixture.ts";
import { SmtpSink } from "../platform/mail/smtp-sink.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { teamParts } from "./team-fixture.ts";
import { newAddress } from "./team-world.ts";

describe("the message", () => {
  const input = {
    mailbox: "ada@example.org",
    teamName: "Night <b>Shift</b>\nClick here",
    role: "editor" as const,
    code: "inv_0123456789abcdefghijklmnopqr",
    expiresAt: new Date("2026-11-27T12:00:00.000Z"),
    publicUrl: "https://gateway.example.com/causeway/",
  };
  const { to, subject, text, html = "" } = buildInviteMail(input);
  const oneLine = (part: string) => part.replaceAll("\n", " ");

  it("has the link below the public address, alone on its line, and in the HTML part", () => {
    const link = "https://gateway.example.com/causeway/invites/inv_0123456789abcdefghijklmnopqr";
    expect(text.split("\n")).toContain(link);
    expect(oneLine(html)).toContain(`<a href="${link}" >`);
    expect([to, subject]).toEqual(["ada@example.org", "You are invited to a team on Causeway"]);
  });

  it("says the team, the role and until when, and is nobody else's markup or paragraph", () => {
    expect(oneLine(text)).toContain(
      'team "Night <b>Shift</b> Click here" on Causeway as an editor.',
    );
    expect(oneLine(text)).toContain("2026-11-27 12:00 UTC");
    expect(oneLine(html)).toContain("Night &lt;b&gt;Shift&lt;/b&gt; Click here");
  });
});

describe("through a mail server", () => {
  const sink = new SmtpSink();
  let causeway: TestInstance;

  beforeAll(async () => {
    const smtp = await sink.listen();
    const mail = { smtp, from: "Causeway <no-reply@example.org>" };
    const environment = { CAUSEWAY_PUBLIC_URL: "https://gateway.example.com" };
    causeway = await startTestInstance({ file: { mail }, environment });
  });

  afterAll(async () => {
    await causeway.close();
    await sink.close();
  });

  it("[invite.create] [environment.invite-link] has arrived with both parts and the link below the public address when the answer comes", async () => {
    const { code, email } = await invite(causeway);
    const [mail] = sink.received.splice(0);
    expect(mail?.to).toEqual([email]);
    // Short lines arrive as they were sent: no line of the link is folded or encoded.
    const content = mail?.content ?? "";
    expect(content).toMatch(/content-type: multipart\/alternative/i);
    expect(content).toMatch(/content-type: text\/plain/i);
    expect(content).toMatch(/content-type: text\/html/i);
    expect(content.split(`https://gateway.example.com/invites/${code}`).length - 1).toBe(3);
  });

  it("that refuses it is no refusal of the invite", async () => {
    sink.replies = { RCPT: "451 later" };
    const { status, code } = await invite(causeway);
    sink.replies = {};
    expect(status).toBe(201);
    expect(code).toMatch(/^inv_/);
    expect(sink.received).toEqual([]);
  });
});

describe("through a mail server that hangs", () => {
  let silent: Server;
  let causeway: TestInstance;

  beforeAll(async () => {
    silent = createServer((socket) => void socket.on("error", () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const mail = { smtp: `smtp://127.0.0.1:${port.toString()}`, from: "no-reply@example.org" };
    causeway = await startTestInstance({ file: { mail } });
  });

  afterAll(async () => {
    await causeway.close();
    silent.close();
  });

  it("[invites.mail] the answer waits five seconds at most", async () => {
    const startedAt = performance.now();
    const { status } = await invite(causeway);
    const waited = performance.now() - startedAt;
    expect(status).toBe(201);
    expect(waited).toBeGreaterThan(4_500);
    expect(waited).toBeLessThan(6_500);
  });
});

describe("the mail of an invite", () => {
  const accounts = useAccountFixture();

  const setUp = async (firstAttemptMs?: number) => {
    const parts = teamParts(accounts, firstAttemptMs);
    const owner = await accounts.user();
    const teamId = await parts.found(owner);
    const actor = accounts.sessionActor(owner.id);
    const input = { email: newAddress(), role: "member" as const };
    const send = () => createInvite(accounts.fork(), actor, teamId, input, parts.dependencies);
    return { ...parts, actor, teamId, send };
  };

  it("[invites.mail] goes out after the commit", async () => {
    const { dependencies, actor, teamId } = await setUp();
    const order: string[] = [];
    const deliver = async (id: string) => {
      const stored = await accounts.fork().count(OutgoingMailEntity, { id });
      order.push(`delivered when ${stored.toString()} is stored`);
      return dependencies.mail.deliver(id);
    };
    const { enqueue, withdraw } = dependencies.mail;
    const mail = {
      deliver,
      enqueue: enqueue.bind(dependencies.mail),
      withdraw: withdraw.bind(dependencies.mail),
    };
    const input = { email: newAddress(), role: "member" as const };
    await createInvite(accounts.fork(), actor, teamId, input, { ...dependencies, mail });
    expect(order).toEqual(["delivered when 1 is stored"]);
  });

  it("[invites.mail] is tried again from the database under the same id, until it has left", async () => {
    const { post, queue, send } = await setUp();
    post.failure = new MailDeliveryError("the server is away", false);
    const { mailId } = await send();
    accounts.clock.advance(31_000);
    await queue.sweep();
    post.failure = undefined;
    accounts.clock.advance(5 * 60_000);
    await queue.sweep();
    expect(post.tried).toEqual([mailId, mailId, mailId]);
    expect(post.sent.map(({ id }) => id)).toEqual([mailId]);
    accounts.clock.advance(24 * 60 * 60_000);
    await queue.sweep();
    expect(post.tried).toHaveLength(3);
  });

  it("does not hold up the answer for longer than said, and goes on", async () => {
    const { post, queue, send } = await setUp(20);
    let unblock = () => {};
    post.blocked = new Promise<void>((resolve) => (unblock = resolve));
    await send();
    expect(post.sent).toEqual([]);
    unblock();
    await queue.close();
    expect(post.sent).toHaveLength(1);
  });

  it("is not tried again once the code is worthless", async () => {
    const { post, queue, dependencies, actor, teamId, send } = await setUp();
    post.failure = new MailDeliveryError("the server is away", false);
    const first = await send();
    const code = dependencies.codes.open(first);
    const second = await resendInvite(accounts.fork(), actor, teamId, code, dependencies);
    await revokeInvite(
      accounts.fork(),
      actor,
      teamId,
      dependencies.codes.open(second),
      dependencies,
    );
    post.failure = undefined;
    accounts.clock.advance(60 * 60_000);
    await queue.sweep();
    expect(post.sent).toEqual([]);
    const ids = [first.mailId, second.mailId];
    const mails = await accounts.fork().find(OutgoingMailEntity, { id: { $in: ids } });
    expect(mails.map(({ state, content }) => [state, content])).toEqual([
      ["failed", null],
      ["failed", null],
    ]);
  });
});

async function invite(causeway: TestInstance) {
  const { session: token } = await causeway.createUser();
  const team = await causeway.call("POST", "/v1/teams", { token, body: { name: "Crew" } });
  const email = newAddress();
  const path = `/v1/teams/${team.body.id}/invites`;
  const { status, body } = await causeway.call("POST", path, { token, body: { email } });
  return { status, code: body.code as string, email };
}
