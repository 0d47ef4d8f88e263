import { describe, expect, it } from "vitest";
import { json, startFakeUpstream, type Script } from "../../support/fake-upstream.ts";
import { responseFixtures } from "../transcode/response-fixtures.ts";
import { call } from "../call.ts";
import { startModelApp } from "../model-app.ts";

const answer = json(responseFixtures.chat.whole);

const target = (slug: string) => ({ vendor: `custom/${slug}`, modelId: "m", weight: 1 });
const pool = {
  targets: [target("one"), target("two")],
  strategy: "weighted",
  affinity: "none",
} as const;

/** Returns the bytes that are held while the upstream of a translated call is asked. */
async function bytesHeld(model: string, instructions: string, input = "Hi"): Promise<number> {
  const app = await startModelApp({ aliases: { pool } });
  let held = 0;
  const note: Script = (response, request) => {
    held = app.bodies.all.bytes;
    return answer(response, request);
  };
  const { origin } = await startFakeUpstream(note);
  for (const slug of ["one", "two"]) app.addEndpoint({ slug, baseUrl: new URL(`${origin}/v1`) });
  expect((await call(app, "/v1/responses", { model, input, instructions })).status).toBe(200);
  return held;
}

/** Characters of a text. */
const size = 300_000;

/** More than the bytes of a body without its text. */
const smallBytes = 1000;

describe("a translated call", () => {
  it.each([
    ["its bytes and its text", "a", 1 + 1],
    ["a byte for each character that fits into one", "é", 2 + 1],
    ["two bytes for each character where one needs them", `€${"a".repeat(99)}`, 1.02 + 2],
    ["two bytes for each character of UTF-8 that needs them", "語", 3 + 2],
    ["two bytes for each byte of a text with escapes", "\u001e", 6 + 12],
  ])("holds %s", async (_what, piece, bytes) => {
    const held = await bytesHeld("custom/one/m", piece.repeat(size / piece.length));
    expect(Math.abs(held - bytes * size)).toBeLessThan(smallBytes);
  });

  it("holds two bytes for each character of those texts only that need them", async () => {
    const held = await bytesHeld("custom/one/m", "a".repeat(size), "€ \u001e");
    expect(Math.abs(held - 2 * size)).toBeLessThan(smallBytes);
  });

  it("holds the bytes that it sends as well while another target may need its own", async () => {
    const held = await bytesHeld("@pool", "a".repeat(size));
    expect(Math.abs(held - 3 * size)).toBeLessThan(smallBytes);
  });
});
