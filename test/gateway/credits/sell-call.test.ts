import { describe, expect, it } from "vitest";
import { chatSurface } from "../../../src/dialect/chat/index.ts";
import { sellCall } from "../../../src/gateway/credits/sell-call.ts";
import type { CallToSell } from "../../../src/gateway/credits/sold-call.ts";
import { callTargetOf } from "../../../src/gateway/dial/call-target.ts";
import type { TranscodeDependencies } from "../../../src/gateway/transcode/prepare-transcode.ts";
import type { OwnTarget } from "../../../src/gateway/routing/plan.ts";
import { Secret } from "../../../src/platform/crypto/secret.ts";

function toSell(isFirstParty: boolean): CallToSell {
  const target: OwnTarget = {
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
      isOperators: true,
      isFirstParty,
    },
  };
  const plan = { lane: "pass-through", dialect: "dialect_chat", upstreamModel: "m", target };
  const asked = { call: { surface: chatSurface }, plan, target: callTargetOf(target) };
  return asked as unknown as CallToSell;
}

const body = Buffer.from('{"model":"m","messages":[]}');

describe("a chat call on credits that says nothing of storing", () => {
  it.each([
    [true, { store: false }],
    [false, {}],
  ])(
    "tells the vendor's own server (%s) not to, and no compatible one",
    (isFirstParty, members) => {
      const sold = sellCall({} as TranscodeDependencies, toSell(isFirstParty), body);
      expect(sold).toMatchObject({ members });
    },
  );
});
