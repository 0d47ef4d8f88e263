import { expect, it } from "vitest";
import { buildInputItemsPage } from "../../../src/gateway/stored-responses/input-items.ts";

const page = (query: string, input: object[]) =>
  buildInputItemsPage("resp_1", input as Record<string, unknown>[], new URLSearchParams(query));

it("buildInputItemsPage pages through items that have the same id", () => {
  const input = ["a", "b", "c"].map((content) => ({ type: "message", id: "msg_same", content }));
  const { data, last_id } = page("order=asc&limit=2", input);
  expect(data).toMatchObject([{ id: "msg_same" }, { id: "msg_1_1" }]);
  const next = page(`order=asc&limit=2&after=${String(last_id)}`, input);
  expect(next).toMatchObject({ data: [{ content: [{ text: "c" }] }], has_more: false });
});

it.each(["1e1", "0x10", " 5", "+5", "5.0", ""])("buildInputItemsPage rejects limit=%j", (limit) => {
  const query = new URLSearchParams({ limit }).toString();
  expect(() => page(query, [])).toThrow("`limit` must be a whole number");
});
