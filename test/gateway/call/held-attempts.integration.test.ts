import { describe, expect, it } from "vitest";
import { json, startFakeUpstream, type Script } from "../../support/fake-upstream.ts";
import { call } from "../call.ts";
import { startModelApp } from "../model-app.ts";

const message = { role: "assistant", content: "Hello" };
const choice = { index: 0, finish_reason: "stop", message };
const answer = json({ id: "c", object: "chat.completion", model: "m", choices: [choice] });

/** 1.2 MB of values, of which an account that may hold 2 MiB has room for one copy. */
const many = Array.from({ length: 12_000 }, () => 1);
const tools = [{ type: "function", name: "f", parameters: { type: "object", enum: many } }];

describe("a translated call that goes to its third target", () => {
  it("holds the parsed body of one attempt and not of those that failed", async () => {
    const target = (slug: string) => ({ vendor: `custom/${slug}`, modelId: "m", weight: 1 });
    const pool = {
      targets: [target("one"), target("two"), target("three")],
      strategy: "weighted",
      affinity: "none",
    } as const;
    const app = await startModelApp({ aliases: { pool }, limits: { heldBodiesMib: 8 } });
    let asked = 0;
    const peaks: number[] = [];
    const failTwice: Script = (response, request) => {
      asked += 1;
      peaks.push(app.bodies.all.bytes);
      return (asked < 3 ? json({ error: { message: "Down." } }, 500) : answer)(response, request);
    };
    for (const slug of ["one", "two", "three"]) {
      const { origin } = await startFakeUpstream(failTwice);
      app.addEndpoint({ slug, baseUrl: new URL(`${origin}/v1`) });
    }
    const body = { model: "@pool", input: "Hi", tools };
    const { status } = await call(app, "/v1/responses", body);
    expect([status, asked]).toEqual([200, 3]);
    expect(new Set(peaks).size).toBe(1);
  });
});
