import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, stream, type Script } from "../../support/fake-upstream.ts";
import { startCreditsInstance, type CreditsInstance } from "./credits-instance.ts";

let sold: CreditsInstance;

beforeAll(async () => {
  sold = await startCreditsInstance();
});

afterAll(() => sold.close());

const model = "thinker";
const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };

let count = 0;

/** The vendor's own answer, with ids of its own, as it says it when nothing is stored. */
function response(text: string, ...before: object[]) {
  count += 1;
  const message = {
    type: "message",
    id: `msg_vendor_${count}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  return {
    id: `resp_vendor_${count}`,
    object: "response",
    created_at: 1,
    model: "m",
    status: "completed",
    store: false,
    previous_response_id: null,
    output: [...before, message],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  };
}

function streamed(whole: ReturnType<typeof response>, size = 40): Script {
  const begun = { ...whole, status: "in_progress", output: [], usage: null };
  const text = [
    { type: "response.created", response: begun },
    { type: "response.output_text.delta", delta: "…", item_id: "msg", output_index: 0 },
    { type: "response.completed", response: whole },
  ]
    .map((event, at) => {
      const data = JSON.stringify({ ...event, sequence_number: at });
      return `event: ${event.type}\ndata: ${data}\n\n`;
    })
    .join("");
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  return stream(pieces, { ending: "end" });
}

const user = (content: string) => ({ role: "user", content });
const userItem = (content: string) => ({ type: "message", ...user(content) });

async function balance(token: string): Promise<number> {
  const { body } = await sold.causeway.call("GET", "/v1/wallet", { token });
  return body.held_usd === 0 ? body.balance_usd : Number.NaN;
}

describe("responses on credits at a vendor that speaks them", () => {
  it("[credits.unstored] leave nothing with the vendor and are gone on from here", async () => {
    const { openai, secret } = await sold.buyer();
    const [one, two, three] = [response("I am Bo."), response("Bo."), response("Still Bo.")];
    sold.upstream.playOnce(json(one), json(two), json(three));
    const first = await openai.responses.create({ model, input: "Who are you?" });
    expect(first).toMatchObject(one);
    expect(sold.sent()).toEqual({ model: "m", input: "Who are you?", store: false });
    const second = await openai.responses.create({
      model,
      input: [user("Once more?")] as never,
      previous_response_id: first.id,
      store: true,
    });
    expect(sold.sent()).toEqual({
      model: "m",
      input: [userItem("Who are you?"), one.output[0], user("Once more?")],
      previous_response_id: null,
      store: false,
    });
    await openai.responses.create({ model, input: "Now?", previous_response_id: second.id });
    expect((sold.sent()["input"] as { content: unknown }[]).map(({ content }) => content)).toEqual([
      "Who are you?",
      one.output[0] && "content" in one.output[0] ? one.output[0].content : undefined,
      "Once more?",
      two.output[0] && "content" in two.output[0] ? two.output[0].content : undefined,
      "Now?",
    ]);
    // 3 tokens in and 2 out, three times.
    await expect.poll(() => balance(secret)).toBeCloseTo(1 - 3 * 7e-6, 9);
  });

  it("are gone on from by ids with NUL and half a surrogate pair, and by those of their items", async () => {
    const { openai } = await sold.buyer();
    const vendors = response("I am Bo.");
    const id = `${vendors.id}\0\ud800`;
    const output = [{ ...vendors.output[0], id: `msg_vendor_${count}\0\ud800` }];
    sold.upstream.playOnce(
      json({ ...vendors, id, output }),
      json(response("Bo.")),
      json(response("Still Bo.")),
    );
    expect(await openai.responses.create({ model, input: "Who?" })).toMatchObject({ id });
    await openai.responses.create({ model, input: "Now?", previous_response_id: id });
    expect(sold.sent()["input"]).toEqual([userItem("Who?"), output[0], userItem("Now?")]);
    const reference = { type: "item_reference", id: output[0]?.id };
    await openai.responses.create({ model, input: [reference, user("Now?")] as never });
    expect(sold.sent()["input"]).toEqual([output[0], user("Now?")]);
  });

  it("[credits.unstored] [clients.query] reach the vendor byte for byte but for what must change", async () => {
    const { secret } = await sold.buyer();
    sold.upstream.playOnce(json(response("x")));
    const body =
      '{ "model" : "thinker", "temperature": 1.0,\n "input":"hi" , "n":12345678901234567890 }';
    const answer = await fetch(`${sold.causeway.url}/v1/responses?beta=true`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body,
    });
    expect(answer.headers.get("x-svc-route-used")).toBe("credits");
    await answer.text();
    expect(sold.upstream.requests.at(-1)?.path).toBe("/v1/responses");
    expect(sold.upstream.requests.at(-1)?.body.toString()).toBe(
      body.replace("thinker", "m").replace(" }", ' ,"store":false}'),
    );
  });

  it("[credits.references] are kept before a stream says that it is complete, which passes as it is", async () => {
    const { openai, secret } = await sold.buyer();
    for (const size of [7, 100_000]) {
      const whole = response("Streamed.");
      const script = streamed(whole, size);
      sold.upstream.playOnce(script);
      const answer = await fetch(`${sold.causeway.url}/v1/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model, input: "a", stream: true }),
      });
      let text = "";
      for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(piece).toString();
        if (!text.includes("Streamed.")) continue;
        expect(await openai.responses.retrieve(whole.id)).toMatchObject(whole);
      }
      expect(text.match(/event: .*/g)).toEqual([
        "event: response.created",
        "event: response.output_text.delta",
        "event: response.completed",
      ]);
      expect(text.endsWith("\n\n")).toBe(true);
    }
  });

  it("[credits.references] refer to items that were kept", async () => {
    const { openai } = await sold.buyer();
    const one = response("I am Bo.");
    sold.upstream.playOnce(json(one), json(response("Yes.")));
    await openai.responses.create({ model, input: "Who?" });
    const id = `msg_vendor_${count - 1}`;
    await openai.responses.create({
      model,
      input: [{ type: "item_reference", id }, user("Sure?")] as never,
    });
    expect(sold.sent()["input"]).toEqual([one.output[0], user("Sure?")]);
  });

  it("[credits.references] are not opened by another account, nor kept with store false", async () => {
    const { openai } = await sold.buyer();
    const other = await sold.buyer();
    sold.upstream.playOnce(json(response("mine")), json(response("unkept")));
    const mine = await openai.responses.create({ model, input: "a" });
    const before = sold.upstream.requests.length;
    const goOn = { model, input: "b", previous_response_id: mine.id };
    await expect(other.openai.responses.create(goOn)).rejects.toMatchObject({
      status: 400,
      param: "previous_response_id",
    });
    await expect(
      other.openai.responses.create({
        model,
        input: [{ type: "item_reference", id: mine.output[0]?.id ?? "" }],
      }),
    ).rejects.toMatchObject({ status: 400, param: "input[0]" });
    await expect(other.openai.responses.retrieve(mine.id)).rejects.toMatchObject({ status: 404 });
    expect(sold.upstream.requests.length).toBe(before);
    const unkept = await openai.responses.create({ model, input: "a", store: false });
    await expect(openai.responses.retrieve(unkept.id)).rejects.toMatchObject({ status: 404 });
  });

  it("keep what was thought: it is asked for, sealed here, and goes back to its model alone", async () => {
    const { openai } = await sold.buyer();
    const one = response("I am Bo.", thought);
    sold.upstream.playOnce(
      json(one),
      json(response("x")),
      json(response("y")),
      json(response("z")),
    );
    const reasoning = { effort: "low" } as const;
    const first = await openai.responses.create({ model, input: "a", reasoning });
    expect(sold.sent()).toMatchObject({ include: ["reasoning.encrypted_content"], store: false });
    await openai.responses.create({ model, input: "b", previous_response_id: first.id });
    expect(sold.sent()["input"]).toEqual([userItem("a"), ...one.output, userItem("b")]);
    // An agent that sends the output back without the seal that it did not ask for.
    const { encrypted_content: _sealed, ...bare } = thought;
    await openai.responses.create({ model, input: [user("a"), bare] as never });
    expect(sold.sent()["input"]).toEqual([user("a"), thought]);
    const { data, response: answer } = await openai.responses
      .create({ model: "other-thinker", input: "b", previous_response_id: first.id })
      .withResponse();
    expect(data.id).toBe(`resp_vendor_${count}`);
    expect(sold.sent()["input"]).toEqual([userItem("a"), one.output[1], userItem("b")]);
    expect(answer.headers.get("x-svc-warnings")).toContain('"previous_response_id";action=dropped');
  });

  it("go without the seal where the vendor refuses to give it, and remember that", async () => {
    const { openai } = await sold.buyer();
    const refusal = { error: { message: "Encrypted content is not supported with this model." } };
    sold.upstream.playOnce(json(refusal, 400), json(response("x")), json(response("y")));
    const body = { model: "plain-thinker", input: "a", reasoning: { effort: "low" } } as const;
    expect((await openai.responses.create(body)).output_text).toBe("x");
    expect(sold.sent()).not.toHaveProperty("include");
    const before = sold.upstream.requests.length;
    await openai.responses.create(body);
    expect(sold.upstream.requests.length).toBe(before + 1);
    expect(sold.sent()).not.toHaveProperty("include");
  });

  it("go on with a turn of another dialect's vendor, and the other way round", async () => {
    const { openai } = await sold.buyer();
    const said = { role: "assistant", content: "From chat." };
    const chatAnswer = json({
      id: "c",
      object: "chat.completion",
      model: "m",
      choices: [{ index: 0, message: said, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
    sold.upstream.playOnce(chatAnswer, json(response("From responses.")), chatAnswer);
    const first = await openai.responses.create({ model: "talker", input: "a" });
    const second = await openai.responses.create({
      model,
      input: "b",
      previous_response_id: first.id,
    });
    expect(sold.sent()["input"]).toMatchObject([
      user("a"),
      { role: "assistant", content: [{ text: "From chat." }] },
      user("b"),
    ]);
    await openai.responses.create({ model: "talker", input: "c", previous_response_id: second.id });
    expect(sold.sent()["messages"]).toEqual([
      user("a"),
      said,
      user("b"),
      { role: "assistant", content: "From responses." },
      user("c"),
    ]);
  });

  it("are kept when the vendor answers in the other form than was asked for", async () => {
    const { openai } = await sold.buyer();
    sold.upstream.playOnce(streamed(response("As a stream.")), json(response("x")));
    const first = await openai.responses.create({ model, input: "a" });
    await openai.responses.create({ model, input: "b", previous_response_id: first.id });
    expect(sold.sent()["input"]).toMatchObject([user("a"), { role: "assistant" }, user("b")]);
  });

  it("are passed on unkept when they failed, or were refused", async () => {
    const { openai } = await sold.buyer();
    const failed = { ...response("x"), status: "failed", error: { code: "c", message: "m" } };
    const refusal = { error: { message: "no", type: "invalid_request_error", param: "input" } };
    sold.upstream.playOnce(json(failed), json(refusal, 400));
    const first = await openai.responses.create({ model, input: "a" });
    expect(first.status).toBe("failed");
    await expect(openai.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
    await expect(openai.responses.create({ model, input: "a" })).rejects.toMatchObject({
      status: 400,
    });
  });
});
