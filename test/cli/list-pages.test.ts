import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { CallLogTailer } from "../../src/cli/calls/call-tailer.ts";
import { EndlessServerListError, fetchServerListPages } from "../../src/cli/list-pages.ts";

/** Reads all pages that a server gives; resolves with the number of requests. */
async function read(pageOf: (request: number) => JsonObject): Promise<number> {
  let requests = 0;
  const pages = fetchServerListPages(() => {
    requests += 1;
    return Promise.resolve(pageOf(requests));
  });
  for await (const _ of pages);
  return requests;
}

const page = (id: string, hasMore = true) => ({ data: [{ id }], has_more: hasMore, last_id: id });

describe("the pages of a list", () => {
  it("are read to the last", async () => {
    expect(await read((request) => page(request.toString(), request < 3))).toBe(3);
  });

  it.each([
    ["the same page for ever", () => page("a"), "same page"],
    ["two pages in turn", (request: number) => page((request % 2).toString()), "same page"],
    [
      "empty pages",
      (request: number) => ({ data: [], has_more: true, last_id: request.toString() }),
      "empty",
    ],
    ["ever new pages", (request: number) => page(request.toString()), "10000 pages"],
  ])("end with an error for a server that gives %s", async (_what, pageOf, message) => {
    await expect(read(pageOf)).rejects.toThrow(EndlessServerListError);
    await expect(read(pageOf)).rejects.toThrow(message);
  });

  it("end with an error for who follows calls", async () => {
    const follower = new CallLogTailer(() => Promise.resolve(page("a")));
    await expect(follower.next()).rejects.toThrow(EndlessServerListError);
  });
});
