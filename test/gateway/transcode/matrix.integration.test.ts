import { describe, expect, it } from "vitest";
import { json, stream, type Script } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { dialectClients, type CallerName } from "./clients.ts";

const names = ["chat", "messages", "responses"] as const;
const models = { chat: "custom/acme/up", messages: "custom/mess/up", responses: "code/up" };
const paths = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
};
const stops = { chat: "tool_calls", messages: "tool_use", responses: "completed" };

const pairs = names.flatMap((caller) => names.map((upstream) => ({ caller, upstream })));

/** What every client understands of every fixture, whatever lies between. */
function understood(caller: CallerName, upstream: CallerName) {
  return {
    text: "Hé! 🙂",
    calls: [{ name: "weather", input: { city: "Zürich" } }],
    stop: stops[caller],
    input: 12,
    cached: 4,
    output: 7,
    model: caller === upstream ? "up" : models[upstream],
  };
}

/** The fixture in pieces of a few bytes that respect no frame, no line and no character. */
function torn(frames: readonly string[]): Buffer[] {
  const bytes = Buffer.from(frames.join(""));
  const count = Math.ceil(bytes.length / 17);
  return Array.from({ length: count }, (_none, at) => bytes.subarray(at * 17, (at + 1) * 17));
}

describe.each(pairs)("$caller caller, $upstream upstream", ({ caller, upstream }) => {
  const fixture = responseFixtures[upstream];
  const expected = understood(caller, upstream);

  async function ask(form: "whole" | "streamed", script: Script) {
    const { app, upstream: fake } = await startAppWithUpstream();
    fake.play(script);
    const answer = await dialectClients(app)[caller][form](models[upstream]);
    expect(app.faults).toEqual([]);
    expect((await fake.request(0)).path).toBe(paths[upstream]);
    return answer;
  }

  it("[service.transcoding] [transcoded.ids] [call.transcoded] gets a whole answer", async () => {
    expect(await ask("whole", json(fixture.whole))).toEqual(expected);
  });

  it("[address.transcoded] gets a stream, which the client's accumulator understands as the whole answer", async () => {
    expect(await ask("streamed", stream(fixture.frames))).toEqual(expected);
  });

  it("gets the same stream from CRLF, torn anywhere", async () => {
    const frames = fixture.frames.map((frame) => frame.replaceAll("\n", "\r\n"));
    expect(await ask("streamed", stream(torn(frames)))).toEqual(expected);
  });

  it("[stream.unasked] gets a whole answer from an upstream that streams all the same", async () => {
    expect(await ask("whole", stream(fixture.frames))).toMatchObject({
      text: expected.text,
      calls: expected.calls,
      stop: expected.stop,
    });
  });

  it("gets a stream from an upstream that answers whole all the same", async () => {
    expect(await ask("streamed", json(fixture.whole))).toMatchObject({
      text: expected.text,
      calls: expected.calls,
      stop: expected.stop,
    });
  });
});
