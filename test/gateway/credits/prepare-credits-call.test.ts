import { describe, expect, it } from "vitest";
import { chatDialectOperation } from "../../../src/dialect/chat/index.ts";
import { prepareVendorStatelessCreditsCall } from "../../../src/gateway/credits/prepare-credits-call.ts";
import type { TargetedCall } from "../../../src/gateway/credits/credits-call.ts";
import { getUpstreamTarget } from "../../../src/gateway/upstream/call-target.ts";
import type { TranscodeDependencies } from "../../../src/gateway/transcode/prepare-transcode.ts";
import type { CallableUpstream } from "../../../src/gateway/routing/plan.ts";
import { noopMemoryReserver } from "../../../src/platform/hold-memory.ts";
import { Secret } from "../../../src/platform/crypto/secret.ts";

function toSell(isFirstParty: boolean): TargetedCall {
  const target: CallableUpstream = {
    kind: "vendor",
    vendor: {
      id: "openai",
      accountId: "operator",
      label: "OpenAI",
      models: undefined,
      dialects: ["dialect_chat"],
      baseUrl: new URL("https://api.openai.com/v1"),
      auth: "bearer",
      token: new Secret("operator-key"),
      headers: {},
      poolKey: "operator:openai",
      belongsToOperator: true,
      isFirstParty,
    },
  };
  const plan = { lane: "pass-through", dialect: "dialect_chat", upstreamModel: "m", target };
  const call = { surface: chatDialectOperation, hold: noopMemoryReserver };
  const asked = { call, plan, target: getUpstreamTarget(target) };
  return asked as unknown as TargetedCall;
}

const body = Buffer.from('{"model":"m","messages":[]}');

describe("a chat call on credits that says nothing of storing", () => {
  it.each([
    [true, { store: false }],
    [false, {}],
  ])(
    "tells the vendor's own server (%s) not to, and no compatible one",
    (isFirstParty, members) => {
      const sold = prepareVendorStatelessCreditsCall(
        {} as TranscodeDependencies,
        toSell(isFirstParty),
        {
          bytes: body,
        },
      );
      expect(sold).toMatchObject({ members });
    },
  );
});
