import { describe, expect, test } from "vitest";
import type { AuditActor } from "../../src/domain/audit/audit.ts";
import { finishSignIn } from "../../src/account/finish-sign-in.ts";
import { UnknownCredentialRateLimiter } from "../../src/account/unknown-credential-limiter.ts";
import { findSession } from "../../src/account/sessions.ts";
import { SignInCodeMailer } from "../../src/account/sign-in-starter.ts";
import { emptyTeamMembershipLookup } from "../../src/account/team-membership.ts";
import { setUserDisabled, createUser } from "../../src/account/users.ts";
import { BackgroundTasks } from "../../src/platform/background-tasks.ts";
import { MailQueue } from "../../src/platform/mail/mail-queue.ts";
import type { MailMessage } from "../../src/platform/mail/mail-transport.ts";
import { silentLog, useAccountFixture } from "./account-fixture.ts";

const fixture = useAccountFixture();
const { hasher, box, clock, fork } = fixture;
const sent: MailMessage[] = [];
const background = new BackgroundTasks(silentLog);
const transport = {
  send: (_id: string, message: MailMessage) => {
    sent.push(message);
    return Promise.resolve();
  },
};
const mail = new MailQueue({ fork, box, transport, clock, log: silentLog });
const badCode = expect.objectContaining({ code: "invalid_request", param: "code" });
let networks = 0;

function publicUrl(): string {
  return "https://gateway.example.org/";
}

/** Somebody in a network of their own, so that tests do not share a limit. */
function visitor(): AuditActor {
  networks += 1;
  return visitorAt(`2001:db8:0:${networks.toString(16)}::1`);
}

function visitorAt(address: string): AuditActor {
  return { ...fixture.actor({ kind: "anonymous" }), address };
}

function starterWith(
  policy = { open: false, domains: ["Welcome.example"] },
  teams = emptyTeamMembershipLookup,
) {
  return new SignInCodeMailer({ fork, hasher, mail, teams, background, policy, publicUrl });
}

function startWith(...parts: Parameters<typeof starterWith>) {
  const starter = starterWith(...parts);
  return async (email: string, actor = visitor()) => {
    sent.length = 0;
    await starter.start(fork(), actor, email);
    await background.waitForAll();
  };
}

const start = startWith();

const tooMany = expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 600 });

/** Starts several sign-ins at once; how many were answered as usual. */
async function startAtOnce(count: number, email: string, by: () => AuditActor): Promise<number> {
  sent.length = 0;
  const starter = starterWith();
  const calls = Array.from({ length: count }, () => starter.start(fork(), by(), email));
  const results = await Promise.allSettled(calls);
  await background.waitForAll();
  return results.filter(({ status }) => status === "fulfilled").length;
}

function finish(
  email: string,
  code: string,
  by = visitor(),
  lookUps = new UnknownCredentialRateLimiter(clock),
) {
  return finishSignIn(
    fork(),
    by,
    { email, code },
    { fork, hasher, background, unknownCredentials: lookUps },
  );
}

function mailedCode(): string {
  return /^\d{8}$/m.exec(sent[0]?.text ?? "")?.[0] ?? "";
}

/** The link of the newest message. */
function mailedLink(): URL {
  return new URL(/https:\S+/.exec(sent[0]?.text ?? "")?.[0] ?? "");
}

/** The code that the link of the newest message holds. */
function linkCode(): string {
  return new URLSearchParams(mailedLink().hash.slice(1)).get("code") ?? "";
}

/** Spends what may be spent with wrong codes: the mailed digits. */
async function guessWrong(email: string): Promise<void> {
  const wrong = mailedCode() === "11111111" ? "22222222" : "11111111";
  const guesses = Array.from({ length: 20 }, () => finish(email, wrong));
  const results = await Promise.allSettled(guesses);
  expect(results.filter(({ status }) => status === "fulfilled")).toEqual([]);
}

describe("[sign-in.who] startSignIn", () => {
  test("mails digits alone on a line and a link with a code of its own in the fragment", async () => {
    await createUser(fork(), fixture.actor(), { email: "Ann@example.org" });
    await start("ann@EXAMPLE.org");
    expect(sent).toHaveLength(1);
    expect(sent[0]?.to).toBe("Ann@example.org");
    expect(mailedCode()).toMatch(/^\d{8}$/);
    const link = mailedLink();
    expect(link.href.startsWith("https://gateway.example.org/sign_in#")).toBe(true);
    const fragment = new URLSearchParams(link.hash.slice(1));
    expect(Object.fromEntries(fragment)).toEqual({
      email: "Ann@example.org",
      // 62^22 is more than 2^128.
      code: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
    });
  });

  test("an unknown address gets the same answer and no mail", async () => {
    await start("stranger@example.org");
    expect(sent).toEqual([]);
    await expect(finish("stranger@example.org", "00000000")).rejects.toThrow(badCode);
  });

  test("does the same work before the answer, whoever asks", async () => {
    await createUser(fork(), fixture.actor(), { email: "known@example.org" });
    const statementsFor = async (email: string) => {
      const idle = { run: () => Promise.resolve() };
      const policy = { open: false, domains: [] };
      const ports = { fork, hasher, mail, teams: emptyTeamMembershipLookup, background: idle };
      const starter = new SignInCodeMailer({ ...ports, policy, publicUrl });
      fixture.statements = [];
      await starter.start(fork(), visitor(), email);
      return fixture.statements;
    };
    expect(await statementsFor("known@example.org")).toEqual(
      await statementsFor("unknown@example.org"),
    );
  });

  test("a disabled user gets no mail", async () => {
    const user = await fixture.user();
    await setUserDisabled(fork(), fixture.actor(), user.id, true, emptyTeamMembershipLookup);
    await start(user.email);
    expect(sent).toEqual([]);
  });

  test.each([
    ["a domain of the configuration", startWith(), "new@welcome.EXAMPLE"],
    ["anybody when it is open", startWith({ open: true, domains: [] }), "any@example.net"],
    [
      "somebody with a pending invite",
      startWith(undefined, {
        ...emptyTeamMembershipLookup,
        hasPendingInvite: () => Promise.resolve(true),
      }),
      "invited@example.net",
    ],
  ])("%s may sign in", async (_who, startOf, email) => {
    await startOf(email);
    expect(sent).toHaveLength(1);
  });

  test("what is no domain in the configuration is said at the start", () => {
    expect(() => startWith({ open: false, domains: ["@example.org"] })).toThrow(
      /^sign_in\.domains: "@example\.org"/,
    );
  });

  test("a subdomain of a configured domain is another domain", async () => {
    await start("new@sub.welcome.example");
    expect(sent).toEqual([]);
  });

  test("[limits.sign-in-starts] is limited per caller and e-mail address, known or not, and for that caller alone", async () => {
    for (const email of ["often@example.org", "often@welcome.example"]) {
      const stranger = visitor();
      expect(await startAtOnce(12, email, () => stranger)).toBe(10);
      await expect(start(email.toUpperCase(), stranger)).rejects.toThrow(tooMany);
      await start(email);
      clock.advance(10 * 60_000 + 1);
      await start(email, visitorAt(stranger.address ?? ""));
    }
  });

  test("a stranger gets 30 codes a day for an e-mail address, and the person still gets one", async () => {
    const email = "daily@welcome.example";
    const { address } = visitor();
    let started = 0;
    for (let round = 0; round < 4; round++) {
      started += await startAtOnce(10, email, () => visitorAt(address ?? ""));
      clock.advance(10 * 60_000 + 1);
    }
    expect(started).toBe(30);
    await start(email);
    await finish(email, mailedCode());
  });

  test("[limits.sign-in-starts] whatever many strangers start, a link that was mailed lately works", async () => {
    const email = "besieged@welcome.example";
    for (let round = 0; round < 5; round++) {
      const started = await startAtOnce(30, email, visitor);
      expect(started).toBe(round < 3 ? 20 : 1);
      const last = linkCode();
      await expect(start(email)).rejects.toThrow(tooMany);
      await guessWrong(email);
      clock.advance(9 * 60_000);
      expect((await finish(email, last)).user.email).toBe(email);
      clock.advance(60_001);
    }
  });

  test("[limits.sign-in-starts] is limited per caller's network, also in parallel", async () => {
    const { address } = visitor();
    const host = (index: number) => visitorAt(`${address ?? ""}${index.toString(16)}`);
    const calls = Array.from({ length: 70 }, (_value, index) =>
      start(`n${index.toString()}@example.net`, host(index)),
    );
    const results = await Promise.allSettled(calls);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(60);
  });
});

describe("finishSignIn()", () => {
  test("opens a session, and makes the user that was missing", async () => {
    await start("First@welcome.example");
    const { user, token } = await finish("first@welcome.example", ` ${mailedCode()} `);
    expect(user).toMatchObject({ email: "first@welcome.example", name: null });
    const session = await findSession(fork(), hasher, token, new Date(clock.now()));
    expect(session?.user.id).toBe(user.id);
    const actors = (await fixture.events(user.id)).map(({ type, actorUserId }) => [
      type,
      actorUserId,
    ]);
    expect(Object.fromEntries(actors)).toEqual({
      "login.succeeded": user.id,
      "session.created": user.id,
      "user.created": null,
    });
  });

  test("of parallel calls with one code exactly one signs in", async () => {
    await start("race@welcome.example");
    const code = mailedCode();
    const calls = Array.from({ length: 5 }, () => finish("race@welcome.example", code));
    const results = await Promise.allSettled(calls);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("a code works once", async () => {
    await start("once@welcome.example");
    const code = mailedCode();
    await finish("once@welcome.example", code);
    await expect(finish("once@welcome.example", code)).rejects.toThrow(badCode);
  });

  test("after five wrong tries the right code is refused, parallel ones included", async () => {
    const user = await fixture.user();
    await start(user.email);
    const code = mailedCode();
    const wrong = code === "11111111" ? "22222222" : "11111111";
    const tries = Array.from({ length: 5 }, () => finish(user.email, wrong));
    await Promise.allSettled(tries);
    await expect(finish(user.email, code)).rejects.toThrow(badCode);
    await background.waitForAll();
    const events = await fixture.events(user.id);
    expect(events.filter(({ type }) => type === "login.failed").length).toBeGreaterThan(4);
  });

  test("[limits.sign-in-codes] wrong codes spend the digits and never the link", async () => {
    const email = "guessed@welcome.example";
    await start(email);
    const [digits, link] = [mailedCode(), linkCode()];
    await guessWrong(email);
    await expect(finish(email, `${link.slice(1)}0`)).rejects.toThrow(badCode);
    await expect(finish(email, digits)).rejects.toThrow(badCode);
    expect((await finish(email, ` ${link} `)).user.email).toBe(email);
    await expect(finish(email, link)).rejects.toThrow(badCode);
  });

  test("[limits.sign-in-codes] wrong links spend nothing, and leave nothing in the audit log", async () => {
    const user = await fixture.user();
    await start(user.email);
    const code = mailedCode();
    const wrong = Array.from({ length: 20 }, () => finish(user.email, "0".repeat(22)));
    await Promise.allSettled(wrong);
    await background.waitForAll();
    const events = await fixture.events(user.id);
    expect(events.filter(({ type }) => type === "login.failed")).toEqual([]);
    await finish(user.email, code);
  });

  test("a code works once: the digits end with the link, and the link with the digits", async () => {
    const email = "either@welcome.example";
    await start(email);
    const first = { digits: mailedCode(), link: linkCode() };
    await start(email);
    const second = { digits: mailedCode(), link: linkCode() };
    await finish(email, first.link);
    await expect(finish(email, first.digits)).rejects.toThrow(badCode);
    await finish(email, second.digits);
    await expect(finish(email, second.link)).rejects.toThrow(badCode);
  });

  test("guesses beyond the five tries leave nothing in the audit log", async () => {
    const user = await fixture.user();
    await start(user.email);
    await guessWrong(user.email);
    await background.waitForAll();
    const events = await fixture.events(user.id);
    expect(events.filter(({ type }) => type === "login.failed")).toHaveLength(5);
  });

  test("so many wrong codes of one network are looked up and no more; right ones cost nothing", async () => {
    const email = "flooded@welcome.example";
    const lookUps = new UnknownCredentialRateLimiter(clock, { burst: 4, refillMs: 1_000 });
    const stranger = visitor();
    for (const code of ["00000000", "0".repeat(22), "junk", "11111111"]) {
      await expect(finish(email, code, stranger, lookUps)).rejects.toThrow(badCode);
    }
    fixture.statements = [];
    const limited = expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 1 });
    await expect(finish(email, "22222222", stranger, lookUps)).rejects.toThrow(limited);
    expect(fixture.statements).toEqual([]);
    await start(email);
    await finish(email, linkCode(), visitor(), lookUps);
  });

  test("[sign-in.life] digits and link end after ten minutes", async () => {
    await start("late@welcome.example");
    const codes = [mailedCode(), linkCode()];
    clock.advance(10 * 60_000);
    for (const code of codes) {
      await expect(finish("late@welcome.example", code)).rejects.toThrow(badCode);
    }
  });

  test("a new code leaves the one before as it is, and codes are bound to their address", async () => {
    await start("two@welcome.example");
    const old = { digits: mailedCode(), link: linkCode() };
    await start("two@welcome.example");
    const fresh = { digits: mailedCode(), link: linkCode() };
    await start("three@welcome.example");
    for (const code of [fresh.digits, fresh.link]) {
      await expect(finish("three@welcome.example", code)).rejects.toThrow(badCode);
    }
    await finish("two@welcome.example", old.digits);
    await finish("two@welcome.example", fresh.link);
  });

  test("codes are stored as keyed hashes and mails sealed, then erased", async () => {
    await start("stored@welcome.example");
    const [code, link] = [mailedCode(), linkCode()];
    const rows = await fork().execute("select s::text as row from sign_in_codes s");
    const mails = await fork().execute("select content, state from outgoing_mails");
    expect(JSON.stringify(rows)).not.toContain(code);
    expect(JSON.stringify(rows)).not.toContain(link);
    expect(mails.every(({ state, content }) => state === "sent" && content === null)).toBe(true);
  });
});
