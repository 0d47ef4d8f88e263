import { afterEach, expect, test, vi } from "vitest";
import { OpenStreamEntity } from "../../src/account/open-stream.entity.ts";
import { maxOpenStreamsPerCredential, OpenStreamLimiter } from "../../src/account/open-streams.ts";
import { BackgroundTasks } from "../../src/platform/background-tasks.ts";
import { silentLog, useAccountFixture } from "./account-fixture.ts";

const fixture = useAccountFixture();
const session = { kind: "session", accountId: "user_1", userId: "user_1" } as const;

afterEach(() => void vi.useRealTimers());

function openStreams() {
  const background = new BackgroundTasks(silentLog);
  return { background, streams: new OpenStreamLimiter({ fork: fixture.fork, background }) };
}

/** Opens as many as there may be. */
async function fill(
  streams: OpenStreamLimiter,
  sessionId: string,
  procedure: string,
): Promise<void> {
  for (let opened = 0; opened < maxOpenStreamsPerCredential; opened += 1) {
    await streams.open({ ...session, sessionId }, procedure);
  }
}

test("streams are counted for each credential and method, over all processes", async () => {
  const [one, other] = [openStreams(), openStreams()];
  await fill(one.streams, "session_1", "Service/Watch");
  const next = () => other.streams.open({ ...session, sessionId: "session_1" }, "Service/Watch");
  await expect(next()).rejects.toMatchObject({ code: "rate_limited", retryAfterSeconds: 1 });
  await other.streams.open({ ...session, sessionId: "session_1" }, "Service/Follow");
  await other.streams.open({ ...session, sessionId: "session_2" }, "Service/Watch");
});

test("what a process left behind that died counts until its lease ends", async () => {
  const dead = openStreams();
  await fill(dead.streams, "session_3", "Service/Watch");
  const open = () =>
    openStreams().streams.open({ ...session, sessionId: "session_3" }, "Service/Watch");
  await expect(open()).rejects.toMatchObject({ code: "rate_limited" });
  const past = { leaseUntil: new Date(Date.now() - 1000) };
  await fixture.fork().nativeUpdate(OpenStreamEntity, { credentialId: "session_3" }, past);
  await open();
});

test("a lease is put off while its stream is open, and goes with it", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { background, streams } = openStreams();
  const where = { credentialId: "session_4" };
  const close = await streams.open({ ...session, sessionId: "session_4" }, "Service/Watch");
  const ending = { leaseUntil: new Date(Date.now() + 1000) };
  await fixture.fork().nativeUpdate(OpenStreamEntity, where, ending);
  vi.advanceTimersByTime(10_000);
  await background.waitForAll();
  const row = await fixture.fork().findOneOrFail(OpenStreamEntity, where);
  expect(row.leaseUntil.getTime()).toBeGreaterThan(ending.leaseUntil.getTime() + 10_000);
  // A server that files of this worker share may have timers of its own.
  const timers = vi.getTimerCount();
  close();
  expect(vi.getTimerCount()).toBe(timers - 1);
  await background.waitForAll();
  expect(await fixture.fork().count(OpenStreamEntity, where)).toBe(0);
});

test("streams of one account open two at a time, whatever their credentials", async () => {
  let [running, most] = [0, 0];
  const fork = () => {
    const em = fixture.fork();
    const transactional = em.transactional.bind(em);
    em.transactional = async (...work) => {
      running += 1;
      most = Math.max(most, running);
      return transactional(...work).finally(() => (running -= 1));
    };
    return em;
  };
  const background = new BackgroundTasks(silentLog);
  const streams = new OpenStreamLimiter({ fork, background });
  const opening = Array.from({ length: 10 }, (_, index) =>
    streams.open({ ...session, sessionId: `session_parallel_${index}` }, "Service/Watch"),
  );
  for (const close of await Promise.all(opening)) close();
  await background.waitForAll();
  expect(most).toBe(2);
});
