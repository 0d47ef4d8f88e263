import type { EntityManager } from "@mikro-orm/postgresql";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { responsesCodec } from "../../../src/dialect/responses/codec.ts";
import { encodeResponsesStoredOutputItems } from "../../../src/dialect/responses/stored-output.ts";
import type { CallerResponse } from "../../../src/gateway/call/caller-response.ts";
import { StoredResponseStore } from "../../../src/gateway/stored-responses/stored-response-store.ts";
import { CallerJsonResponseWriter } from "../../../src/gateway/transcode/body-writer.ts";
import { SecretBox } from "../../../src/platform/crypto/secret-box.ts";
import { JsonStringifyCache } from "../../../src/platform/json-texts.ts";
import { answerContext } from "../../support/codec-contexts.ts";

const owner = { accountId: "a", id: "resp_1", previousId: undefined, input: [] };
const box = new SecretBox([Buffer.alloc(32, 1)]);

/** A store on a database that takes one row. */
function createStore() {
  const rows: unknown[][] = [];
  const pool = { query: async (_sql: string, row: unknown[]) => void rows.push(row) };
  const connection = { getNativeClient: async () => pool };
  const fork = () => ({ getConnection: () => connection }) as unknown as EntityManager;
  const clock = { now: () => 0 };
  const isRunning = async () => false;
  const store = new StoredResponseStore({ fork, box, clock, days: 1, isRunning });
  const content = () => {
    const [id, , , , sealed] = rows[0] ?? [];
    const place = { table: "kept_responses", row: String(id), column: "content" };
    return JSON.parse(box.open(String(sealed), place)) as JsonObject;
  };
  return { store, content };
}

/** An item that counts how often it is written as JSON. */
function createCountedItem() {
  const item = {
    count: 0,
    toJSON: () => {
      item.count += 1;
      return { type: "message", id: "msg_1" };
    },
  };
  return item;
}

it("A stored response writes an output item as JSON once, for its caller and for the database", async () => {
  const { store, content } = createStore();
  const item = createCountedItem();
  const sent: string[] = [];
  const response = {
    send: (_status: number, _type: string, body: Buffer) => sent.push(body.toString()),
  };
  const writer = new CallerJsonResponseWriter(
    response as unknown as CallerResponse,
    () => ({ id: "resp_1", output: [item], store: true }),
    async (_answer, written) => {
      const { body = {}, texts = new JsonStringifyCache() } = written ?? {};
      const output = body["output"] as JsonObject[];
      await store.store({ ...owner, response: body, output, texts });
    },
  );
  writer.finish();
  expect(sent).toEqual([]);
  await expect.poll(() => sent).toHaveLength(1);
  const shown = [{ type: "message", id: "msg_1" }];
  expect(item.count).toBe(1);
  expect(JSON.parse(sent[0] ?? "")).toEqual({ id: "resp_1", output: shown, store: true });
  expect(content()).toEqual({
    input: [],
    response: { id: "resp_1", output: shown, store: true },
    output: shown,
  });
});

it("An answer without reasoning is stored with the output list that its caller gets", () => {
  const context = answerContext({});
  const text = { type: "text", text: "Hi.", logprobs: [], citations: [] } as const;
  const end = { type: "response-end", reason: "end", raw: "stop" } as const;
  const answer = { parts: [text], end, error: undefined, usage: undefined };
  const output = responsesCodec.encodeResponse(answer, context)["output"] as JsonObject[];
  expect(encodeResponsesStoredOutputItems(answer, context, output)).toBe(output);
});

it("A large response lets other work run while it is sealed", async () => {
  const { store, content } = createStore();
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const output = [{ type: "message", text: "x".repeat(4 * 1024 * 1024) }];
  await store.store({ ...owner, response: { output }, output });
  clearImmediate(next);
  expect(turns).toBeGreaterThan(4);
  expect(content()).toEqual({ input: [], response: { output }, output });
});
