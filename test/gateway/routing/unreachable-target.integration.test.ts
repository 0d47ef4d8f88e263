import { expect, it } from "vitest";
import { json, openFakeUpstream, startFakeUpstream } from "../../support/fake-upstream.ts";
import { call } from "../call.ts";
import { startModelApp } from "../model-app.ts";

const calls = 1000;
const atOnce = 32;

const ok = json({ id: "c", object: "chat.completion", choices: [] });

it("[pool.goes-on] no caller sees that one of two targets was killed, and it is left alone", async () => {
  const app = await startModelApp({
    aliases: {
      pool: {
        targets: [
          { vendor: "custom/one", modelId: "m" },
          { vendor: "custom/two", modelId: "m" },
        ],
        strategy: "weighted",
        affinity: "none",
      },
    },
  });
  const [one, two] = [await openFakeUpstream(ok), await startFakeUpstream(ok)];
  app.addEndpoint({ slug: "one", baseUrl: new URL(`${one.origin}/v1`) });
  app.addEndpoint({ slug: "two", baseUrl: new URL(`${two.origin}/v1`) });
  const statuses = new Map<number, number>();
  let made = 0;
  let killing: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    while (made < calls) {
      made += 1;
      if (made === calls / 2) killing = one.close();
      const { status } = await call(app, "/v1/chat/completions", { model: "@pool", messages: [] });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await killing;
  expect([...statuses]).toEqual([[200, calls]]);
  const attempts = app.records.map((record) => record.attempts);
  expect(Math.max(...attempts)).toBe(2);
  // Those under way when it died, and until it rests; none in its rest.
  expect(attempts.filter((count) => count === 2).length).toBeLessThanOrEqual(2 * atOnce);
  expect(one.requests.length + two.requests.length).toBeLessThanOrEqual(calls + 2 * atOnce);
});
