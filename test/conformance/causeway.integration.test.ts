import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runConformance } from "../../src/conformance/run-conformance.ts";
import { startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { fakeModel } from "./fake-model.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance({
    file: { limits: { requests_per_minute: 60_000, burst: 10_000 } },
  });
});

afterAll(() => causeway.close());

/** Cases that say nothing about a gateway whose upstream is of that dialect. */
const expectedSkips = {
  dialect_chat: [
    {
      case: "messages/stop-sequence-told",
      outcome: "skipped",
      reason: "no difference is told between it and a natural end",
    },
  ],
  dialect_messages: [],
};

describe.each(["dialect_chat", "dialect_messages"] as const)("over a %s upstream", (dialect) => {
  it("[start.cli-conformance] our own gateway passes every case", { timeout: 60_000 }, async () => {
    const upstream = await startFakeUpstream(fakeModel);
    const user = await causeway.createUser();
    const body = { label: "Box", base_url: `${upstream.origin}/v1`, api_key: "k", dialect };
    await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
    const { secret } = await user.createKey();
    const report = await runConformance({
      gateway: { baseUrl: new URL(causeway.url), key: secret, timeoutMs: 10_000 },
      model: "custom/box/m",
      dialects: ["chat", "responses", "messages"],
    });
    const notPassed = report.cases.filter(({ outcome }) => outcome !== "passed");
    const told = notPassed.map(({ dialect: name, name: of, outcome, reason }) => ({
      case: `${name}/${of}`,
      outcome,
      reason,
    }));
    expect(told).toEqual(expectedSkips[dialect]);
    expect(report.passed).toBeGreaterThan(100);
  });
});
