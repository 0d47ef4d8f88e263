import { describe, expect, it } from "vitest";
import { asArrayOrEmpty, asObject, asString } from "../../../src/dialect/json.ts";
import { buildInputItemsPage } from "../../../src/gateway/stored-responses/input-items.ts";

describe("buildInputItemsPage()", () => {
  it.each(["asc", "desc"])("lists items that share an id once each, page by page (%s)", (order) => {
    const ids = ["msg_same", "msg_same", undefined, "msg_1_4", "msg_1_4", "msg_1_4_"];
    const input = ids.map((id, at) => ({ role: "user", content: `${at}`, ...(id && { id }) }));
    const seen: unknown[] = [];
    let after: string | undefined;
    for (let page = 0; page < input.length; page += 1) {
      const query = new URLSearchParams({ order, limit: "1", ...(after && { after }) });
      const { data, last_id } = buildInputItemsPage("resp_1", input, query);
      seen.push(...asArrayOrEmpty(data).map((item) => asObject(item)?.["content"]));
      after = asString(last_id);
    }
    const all = input.map(({ content }) => [{ type: "input_text", text: content }]);
    expect(seen).toEqual(order === "asc" ? all : all.toReversed());
  });

  it.each(["1e1", "0x10", " 5", "5 ", "+5", "5.0", "", "0", "101", "-1"])(
    "rejects `limit=%s`",
    (limit) => {
      const page = () => buildInputItemsPage("resp_1", [], new URLSearchParams({ limit }));
      expect(page).toThrowError(expect.objectContaining({ param: "limit" }));
    },
  );
});
