import { describe, expect, it } from "vitest";
import { createUpstreamErrorFailure } from "../../../src/gateway/upstream/upstream-error.ts";
import { classifyTargetFailure } from "../../../src/gateway/routing/failover-decision.ts";
import type { ResolvedUpstream } from "../../../src/gateway/upstream/call-target.ts";

const target = {
  name: "custom/acme",
  secrets: [],
  origin: "http://a",
} as unknown as ResolvedUpstream;

function kindOf(status: number) {
  const failure = createUpstreamErrorFailure(target, status, {}, "");
  return classifyTargetFailure(failure, status, 0).kind;
}

describe("classifyTargetFailure", () => {
  it.each([408, 409, 500, 503])("takes the target for failed after %i", (status) => {
    expect(kindOf(status)).toBe("failed");
  });

  it.each([407, 421, 426, 505, 511])(
    "takes the target for failed after %i, which concerns its connection",
    (status) => {
      expect(kindOf(status)).toBe("failed");
    },
  );

  it.each([400, 404, 422])("returns the answer of %i", (status) => {
    expect(kindOf(status)).toBe("final");
  });
});
