import { expect, it } from "vitest";
import {
  appendSerializedConversationItems,
  emptySerializedConversation,
} from "../../../src/gateway/websocket/conversation-items.ts";
import { parseWebSocketResponseRequest } from "../../../src/gateway/websocket/create-message.ts";

const last = {
  id: "resp_1",
  previousId: undefined,
  items: appendSerializedConversationItems(
    emptySerializedConversation,
    Buffer.from('{"type":"message"}'),
  ),
};

function parse(members: object) {
  const message = {
    type: "response.create",
    model: "m",
    previous_response_id: "resp_1",
    ...members,
  };
  return parseWebSocketResponseRequest(Buffer.from(JSON.stringify(message)), last, false);
}

it("parseCreateResponseMessage leaves the conversation out of a body that no model gets", () => {
  const { body, items } = parse({ generate: false, input: [{ type: "a" }] });
  expect(JSON.parse(body.toString())).toEqual({ stream: true, model: "m", input: [] });
  expect(items?.parts[0]).toBe(last.items.parts[0]);
  expect(items?.parts.map(String)).toEqual(['{"type":"message"}', '{"type":"a"}']);
  expect(parse({ generate: false, input: [] }).items).toBe(last.items);
});

it("parseCreateResponseMessage joins the conversation for a model", () => {
  const { body } = parse({ input: [{ type: "a" }, { type: "b" }] });
  const input = [{ type: "message" }, { type: "a" }, { type: "b" }];
  expect(JSON.parse(body.toString())).toEqual({ stream: true, model: "m", input });
});

it.each([
  ["in a list", [1]],
  ["as a text", "x"],
])(
  "parseCreateResponseMessage counts the memory of a small part %s, and keeps no more",
  (_what, input) => {
    const { items } = parse({ generate: false, input });
    const part = items?.parts[1];
    expect(part?.buffer.byteLength).toBe(part?.length);
    expect((items?.bytes ?? 0) - last.items.bytes).toBeGreaterThan(100);
  },
);
