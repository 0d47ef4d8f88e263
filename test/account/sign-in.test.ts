import { describe, expect, test } from "vitest";
import type { Actor } from "../../src/account/audit.ts";
import { finishSignIn } from "../../src/account/finish-sign-in.ts";
import { findSession } from "../../src/account/sessions.ts";
import { StartSignIn } from "../../src/account/start-sign-in.ts";
import { noTeams } from "../../src/account/team-membership.ts";
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
let addresses = 0;

function publicUrl(): string {
  return "https://gateway.example.org/";
}

/** Somebody at an address of their own, so that tests do not share a limit. */
function visitor(): Actor {
  addresses += 1;
  const address = `2001:db8::${addresses.toString(16)}`;
  return { ...fixture.actor({ kind: "anonymous" }), address };
}

function startWith(policy = { open: false, domains: ["Welcome.example"] }, teams = noTeams) {
  const starter = new StartSignIn({ fork, hasher, mail, teams, background, policy, publicUrl });
  return async (email: string, actor = visitor()) => {
    sent.length = 0;
    await starter.start(fork(), actor, email);
    await background.settled();
  };
}

const start = startWith();

function finish(email: string, code: string) {
  return finishSignIn(fork(), visitor(), { email, code }, { fork, hasher, background });
}

function mailedCode(): string {
  return /^\d{8}$/m.exec(sent[0]?.text ?? "")?.[0] ?? "";
}

describe("startSignIn", () => {
  test("mails a code alone on a line and a link with it in the fragment", async () => {
    await createUser(fork(), fixture.actor(), { email: "Ann@example.org" });
    await start("ann@EXAMPLE.org");
    expect(sent).toHaveLength(1);
    expect(sent[0]?.to).toBe("Ann@example.org");
    const link = new URL(/https:\S+/.exec(sent[0]?.text ?? "")?.[0] ?? "");
    expect(link.href.startsWith("https://gateway.example.org/sign_in#")).toBe(true);
    const fragment = new URLSearchParams(link.hash.slice(1));
    expect(Object.fromEntries(fragment)).toEqual({ email: "Ann@example.org", code: mailedCode() });
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
      const ports = { fork, hasher, mail, teams: noTeams, background: idle };
      const starter = new StartSignIn({ ...ports, policy, publicUrl });
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
    await setUserDisabled(fork(), fixture.actor(), user.id, true, noTeams);
    await start(user.email);
    expect(sent).toEqual([]);
  });

  test.each([
    ["a domain of the configuration", startWith(), "new@welcome.EXAMPLE"],
    ["anybody when it is open", startWith({ open: true, domains: [] }), "any@example.net"],
    [
      "somebody with a pending invite",
      startWith(undefined, { ...noTeams, hasPendingInvite: () => Promise.resolve(true) }),
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

  test("is limited per e-mail address, known or not", async () => {
    for (let index = 0; index < 10; index++) await start("often@example.org");
    const tooMany = expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 600 });
    await expect(start("Often@example.org")).rejects.toThrow(tooMany);
    clock.advance(10 * 60_000 + 1);
    await start("often@example.org");
  }, 30_000);

  test("is limited per caller's address, also in parallel", async () => {
    const actor = visitor();
    const quiet = startWith({ open: false, domains: [] });
    const calls = Array.from({ length: 70 }, (_value, index) =>
      quiet(`n${index.toString()}@example.net`, actor),
    );
    const results = await Promise.allSettled(calls);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(60);
  }, 30_000);
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
    await background.settled();
    const events = await fixture.events(user.id);
    expect(events.filter(({ type }) => type === "login.failed").length).toBeGreaterThan(4);
  });

  test("a code ends after ten minutes", async () => {
    await start("late@welcome.example");
    const code = mailedCode();
    clock.advance(10 * 60_000);
    await expect(finish("late@welcome.example", code)).rejects.toThrow(badCode);
  });

  test("a new code replaces the one before, and codes are bound to their address", async () => {
    await start("two@welcome.example");
    const old = mailedCode();
    clock.advance(1);
    await start("two@welcome.example");
    const fresh = mailedCode();
    await start("three@welcome.example");
    await expect(finish("three@welcome.example", fresh)).rejects.toThrow(badCode);
    await expect(finish("two@welcome.example", `${old}0`)).rejects.toThrow(badCode);
    await finish("two@welcome.example", fresh);
  });

  test("codes are stored as keyed hashes and mails sealed, then erased", async () => {
    await start("stored@welcome.example");
    const code = mailedCode();
    const rows = await fork().execute("select s::text as row from sign_in_codes s");
    const mails = await fork().execute("select content, state from outgoing_mails");
    expect(JSON.stringify(rows)).not.toContain(code);
    expect(mails.every(({ state, content }) => state === "sent" && content === null)).toBe(true);
  });
});
