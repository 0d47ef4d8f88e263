import { once } from "node:events";
import { get } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { SeededRandom } from "../../support/seeded-random.ts";
import { late, stream } from "../../support/fake-upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { startAppWithUpstream, type AppWithUpstream } from "../app-with-upstream.ts";
import type { ModelApp } from "../model-app.ts";
import { responseFixtures } from "./response-fixtures.ts";
import type { CallerName } from "./clients.ts";
import { ask, allPairs, models, paths, questions, type Pair } from "./pairs.ts";

const callers = Object.keys(paths) as CallerName[];

/** When a caller goes, and how. */
interface Departure {
  readonly afterMs: number;
  readonly isReset: boolean;
}

/** Before the head, in the middle or at the end of an answer. */
function departure(random: SeededRandom): Departure {
  return { afterMs: random.next() * 25, isReset: random.next() < 0.5 };
}

async function goAway(
  app: ModelApp,
  { caller, upstream }: Pair,
  isStream: boolean,
  { afterMs, isReset }: Departure,
): Promise<void> {
  const body = JSON.stringify({ model: models[upstream], ...questions[caller], stream: isStream });
  const socket = connect(app.port, "127.0.0.1").on("error", () => {});
  socket
    .resume()
    .write(
      `POST ${paths[caller]} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  await delay(afterMs);
  if (isReset) socket.resetAndDestroy();
  else socket.destroy();
}

/**
 * Resolves when every connection that was opened before is let in. Of a busy machine they
 * wait in the system's queue, in their order, when their callers are long gone: with a
 * thousand of them nobody could say when the last call has ended.
 */
async function allLetIn({ origin }: ModelApp): Promise<void> {
  const [response] = await once(get(origin, { agent: false }), "response");
  response.resume();
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What is in use when everything that can be freed was freed, the test's own notes too. */
function inUse({ app, upstream }: AppWithUpstream) {
  for (const notes of [app.records, app.kept, app.notes, upstream.requests]) notes.length = 0;
  collectGarbage();
  const handles = process.getActiveResourcesInfo();
  return {
    bytes: process.memoryUsage().heapUsed,
    timers: handles.filter((name) => name === "Timeout").length,
  };
}

describe("[stream.aborts] random aborts", () => {
  it.each([42])(
    "of 1000 calls through each codec, and through none, leave nothing behind (seed %i)",
    { timeout: 180_000 },
    async (seed) => {
      const random = new SeededRandom(seed);
      // Of its own: calls arrive in another order each time.
      const lateness = new SeededRandom(seed + 1);
      const { app, upstream } = await startAppWithUpstream();
      upstream.play((response, request) => {
        const from = callers.find((name) => paths[name] === request.path) ?? "chat";
        const script = stream(responseFixtures[from].frames, { everyMs: 2 });
        return late(lateness.next() * 5, script)(response, request);
      });
      const rejections: unknown[] = [];
      const note = (reason: unknown): void => void rejections.push(reason);
      process.on("unhandledRejection", note).on("warning", note);
      const round = async (count: number): Promise<void> => {
        for (let at = 0; at < count; at += 40) {
          const calls = Array.from({ length: 40 }, (_none, offset) => {
            const pair = allPairs[(at + offset) % allPairs.length];
            const called = pair ?? { caller: "chat", upstream: "messages" };
            return goAway(app, called, offset % 4 !== 0, departure(random));
          });
          await Promise.all(calls);
          await allLetIn(app);
        }
        await waitUntil(() => app.routes.callsInFlight === 0);
      };
      await round(1000);
      const before = inUse({ app, upstream });
      await round(3000);
      await waitUntil(() => upstream.connections() < 100);
      const after = inUse({ app, upstream });
      process.off("unhandledRejection", note).off("warning", note);
      expect(rejections).toEqual([]);
      expect([app.streams.value, app.faults]).toEqual([0, []]);
      expect(after.bytes - before.bytes).toBeLessThan(4 * 1024 * 1024);
      expect(after.timers).toBeLessThan(before.timers + 20);
      for (const pair of allPairs)
        expect((await ask(app, pair, { stream: true })).status).toBe(200);
    },
  );
});
