/** One vendor of the operator that several accounts call. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { json, reset, type Script } from "../../support/fake-upstream.ts";
import { startCreditsInstance, type Buyer, type CreditsInstance } from "./credits-instance.ts";

const completion = json({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** Resets the connection of every request that contains the word. */
const resetOnWord: Script = (response, request) =>
  (request.body.includes("crash") ? reset : completion)(response, request);

let instance: CreditsInstance;
let hostile: Buyer;
let other: Buyer;

beforeAll(async () => {
  instance = await startCreditsInstance();
});

afterAll(() => instance.close());

beforeEach(async () => {
  [hostile, other] = [await instance.buyer(), await instance.buyer()];
  instance.upstream.play(resetOnWord);
});

/** Returns the status of a call and how many attempts reached the vendor. */
async function send({ openai }: Buyer, content: string): Promise<readonly [number, number]> {
  const before = instance.upstream.requests.length;
  const messages = [{ role: "user" as const, content }];
  const status = await openai.chat.completions
    .create({ model: "talker", max_tokens: 1, messages })
    .withResponse()
    .then(
      ({ response }) => response.status,
      (error: { status: number }) => error.status,
    );
  return [status, instance.upstream.requests.length - before];
}

async function failFiveTimes(buyer: Buyer): Promise<void> {
  for (let calls = 0; calls < 5; calls++) expect((await send(buyer, "crash"))[0]).toBe(502);
}

describe("a vendor that resets the connections of one account", () => {
  it("is not called for this account after five failures", async () => {
    await failFiveTimes(hostile);
    expect(await send(hostile, "hello")).toEqual([502, 0]);
  });

  it("still serves other accounts", async () => {
    await failFiveTimes(hostile);
    expect(await send(other, "hello")).toEqual([200, 1]);
    // The success of another account does not close the circuit.
    expect(await send(hostile, "hello")).toEqual([502, 0]);
  });

  it("leaves other accounts their retries", async () => {
    await failFiveTimes(hostile);
    instance.upstream.playOnce(reset, reset);
    expect(await send(other, "hello")).toEqual([200, 3]);
  });
});

describe("a vendor that resets all connections", () => {
  it("is called for no account that has failed five times", async () => {
    instance.upstream.play(reset);
    for (const buyer of [hostile, other]) {
      await failFiveTimes(buyer);
      expect(await send(buyer, "hello")).toEqual([502, 0]);
    }
  });
});
