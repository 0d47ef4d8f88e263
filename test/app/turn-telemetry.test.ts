/** What operators see of answers in the background in metrics and spans. */
import OpenAI from "openai";
import { afterEach, describe, expect, it, vi } from "vitest";
import { heldStream } from "../gateway/turn/held-stream.ts";
import { startCollector, type CollectedSpan } from "../platform/telemetry/fake-collector.ts";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestInstance } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

describe("an answer in the background", () => {
  it("is counted, and stands in one trace: the request, the turn below it, its model calls below that", async () => {
    const collector = await startCollector();
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const upstream = await startFakeUpstream(json({ object: "list", data: [{ id: "m" }] }));
    const causeway = await startTestInstance({ environment });
    const user = await causeway.createUser();
    const endpoint = { label: "Box", base_url: `${upstream.origin}/v1`, api_key: "k" };
    const body = { ...endpoint, dialect: "dialect_chat" };
    await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
    const { secret } = await user.createKey();
    const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey: secret, maxRetries: 0 });
    const held = heldStream();
    upstream.playOnce(json({ error: { message: "busy" } }, 503), held.script);
    const asked = {
      model: "custom/box/m",
      input: "a secret",
      background: true,
      stream: true,
    } as const;
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const events = await openai.responses.create(asked, { headers });
    await held.begun;
    held.say("Good ", "day.");
    held.end();
    let id = "";
    for await (const event of events) if ("response" in event) id = event.response.id;
    const counted = [
      'causeway_agent_turns_total{engine="none",status="completed"} 1',
      'causeway_agent_steps_total{kind="model_call"} 2',
      "causeway_agent_turns_in_flight 0",
      "causeway_agent_takeovers_total 0",
    ];
    await waitUntil(async () => {
      const { body: printed } = await causeway.call("GET", "/metrics");
      return counted.every((line) => printed.includes(line));
    });
    await causeway.close();

    const inTrace = collector.spans.filter((span) => span.traceId === traceId);
    const named = (name: string): CollectedSpan[] => inTrace.filter((span) => span.name === name);
    const [turn] = named("turn");
    expect(turn).toMatchObject({
      parentSpanId: named("POST /v1/responses")[0]?.spanId,
      attributes: {
        "causeway.turn_id": id,
        "causeway.turn_attempt": 1,
        "causeway.turn_status": "completed",
      },
      status: 0,
    });
    const calls = named("chat m");
    expect(calls.map(({ parentSpanId }) => parentSpanId)).toEqual([turn?.spanId, turn?.spanId]);
    expect(calls.map(({ attributes }) => attributes["error.type"])).toEqual(["503", undefined]);
    expect(collector.bodies.join("\n")).not.toMatch(/secret|Good/);
  });
});
