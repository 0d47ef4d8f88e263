import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { late, stream } from "../../support/fake-upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import type { ModelApp } from "../model-app.ts";
import { answerFixtures } from "./answer-fixtures.ts";
import type { CallerName } from "./clients.ts";
import { ask, allPairs, models, paths, questions, type Pair } from "./pairs.ts";

const callers = Object.keys(paths) as CallerName[];

/** Calls, and goes after a random time: before the head, in the middle or at the end. */
async function goAway(app: ModelApp, { caller, upstream }: Pair, isStream: boolean): Promise<void> {
  const body = JSON.stringify({ model: models[upstream], ...questions[caller], stream: isStream });
  const socket = connect(app.port, "127.0.0.1").on("error", () => {});
  socket
    .resume()
    .write(
      `POST ${paths[caller]} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  await delay(Math.random() * 25);
  if (Math.random() < 0.5) socket.destroy();
  else socket.resetAndDestroy();
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What is in use when everything that can be freed was freed. */
function inUse() {
  collectGarbage();
  const handles = process.getActiveResourcesInfo();
  return {
    bytes: process.memoryUsage().heapUsed,
    timers: handles.filter((name) => name === "Timeout").length,
  };
}

describe("pain 42: random aborts", () => {
  it(
    "of 1000 calls through each codec, and through none, leave nothing behind",
    { timeout: 180_000 },
    async () => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play((response, request) => {
        const from = callers.find((name) => paths[name] === request.path) ?? "chat";
        const script = stream(answerFixtures[from].frames, { everyMs: 2 });
        return late(Math.random() * 5, script)(response, request);
      });
      const rejections: unknown[] = [];
      const note = (reason: unknown): void => void rejections.push(reason);
      process.on("unhandledRejection", note).on("warning", note);
      const round = async (count: number): Promise<void> => {
        for (let at = 0; at < count; at += 40) {
          const calls = Array.from({ length: 40 }, (_none, offset) => {
            const pair = allPairs[(at + offset) % allPairs.length];
            return goAway(app, pair ?? { caller: "chat", upstream: "messages" }, offset % 4 !== 0);
          });
          await Promise.all(calls);
        }
        await waitUntil(() => app.routes.callsInFlight === 0);
      };
      await round(1000);
      app.records.length = 0;
      upstream.requests.length = 0;
      const before = inUse();
      await round(3000);
      app.records.length = 0;
      upstream.requests.length = 0;
      await waitUntil(() => upstream.connections() < 100);
      const after = inUse();
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
