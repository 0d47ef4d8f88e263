import type { HandlerContext } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { createResponseMemoryReserver } from "../../src/domain/response-memory.ts";
import { RequestBodyMemoryBudget } from "../../src/platform/body-memory-budget.ts";

function openResponse(signal: AbortSignal) {
  const bodies = new RequestBodyMemoryBudget(4);
  const hold = createResponseMemoryReserver(bodies, "acct_1", { signal } as HandlerContext);
  return { bodies, hold };
}

it("createResponseMemoryReserver counts memory until the request has ended", () => {
  const request = new AbortController();
  const { bodies, hold } = openResponse(request.signal);
  hold(1000);
  expect(bodies.all.bytes).toBe(1000);
  request.abort();
  expect(bodies.all.bytes).toBe(0);
});

it("createResponseMemoryReserver counts nothing for a request that ended before", () => {
  const { bodies, hold } = openResponse(AbortSignal.abort());
  expect(() => hold(1000)).toThrow("aborted");
  expect(bodies.all.bytes).toBe(0);
});
