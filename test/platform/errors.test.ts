import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/platform/errors.ts";

describe("a refusal that passes by itself", () => {
  it("says when to come again, whoever makes it", () => {
    expect(new ApiError("unavailable", "Away.").retryAfterSeconds).toBe(1);
    expect(new ApiError("unavailable", "Away.", { retryAfterSeconds: 7 }).retryAfterSeconds).toBe(
      7,
    );
    expect(new ApiError("not_found", "Gone.").retryAfterSeconds).toBeUndefined();
  });
});
