import { expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { model, startCaller, type BackgroundCaller } from "./background-caller.ts";
import { pausedStream } from "./paused-stream.ts";

interface Followed {
  readonly text: () => string;
  /** How the stream ended: as a stream should, or by the loss of its connection. */
  readonly ended: Promise<"ended" | "cut">;
}

async function follow(
  { url }: TestInstance,
  { secret }: BackgroundCaller,
  path: string,
  body?: object,
): Promise<Followed> {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  let text = "";
  const ended = (async () => {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
  })().then(
    () => "ended" as const,
    () => "cut" as const,
  );
  return { text: () => text, ended };
}

it("cuts the streams of those who follow a turn when the server stops, and tells no end that the turn has not", async () => {
  const causeway = await startTestInstance({ own: true });
  const caller = await startCaller(causeway);
  const held = pausedStream();
  caller.upstream.play(held.script);
  const body = { model, input: "Hello?", background: true, stream: true };
  const asked = await follow(causeway, caller, "/v1/responses", body);
  await held.begun;
  held.say("Half ");
  await waitUntil(() => asked.text().includes("Half "));
  const id = /turn_\w+/.exec(asked.text())?.[0] ?? "";
  const replayed = await follow(causeway, caller, `/v1/responses/${id}?stream=true`);
  await waitUntil(() => replayed.text().includes("Half "));
  await causeway.close();
  expect(await Promise.all([asked.ended, replayed.ended])).toEqual(["cut", "cut"]);
  for (const { text } of [asked, replayed]) {
    expect(text()).not.toMatch(/response\.(completed|incomplete|failed)|event: error/);
  }
});
