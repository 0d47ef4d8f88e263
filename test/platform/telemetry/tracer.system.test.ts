import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createTracer } from "../../../src/platform/telemetry/create-tracer.ts";
import type { GenAiOperationRecord } from "../../../src/platform/telemetry/model-operation.ts";
import { noTracer, type Tracer } from "../../../src/platform/telemetry/tracer.ts";
import { startCollector } from "./fake-collector.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";

const call = {
  service: "gateway",
  method: "POST",
  route: "/v1/messages",
  requestId: "req_1",
  traceparent: undefined,
};
const operation: GenAiOperationRecord = {
  name: "chat",
  provider: "anthropic",
  requestModel: "large",
  responseModel: "large-2026",
  isStream: true,
  dialect: "dialect_messages",
  server: new URL("https://models.example/v1"),
  startedAt: performance.now() - 500,
  firstChunkAt: performance.now() - 250,
  endedAt: performance.now(),
  status: 200,
  errorType: undefined,
  tokens: { input: 30, cacheRead: 20, cacheWrite: 5, output: 7 },
};

/** The SDK reads its settings from the real environment. */
async function tracerTo(url: string): Promise<Tracer> {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", url);
  return createTracer(process.env);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("createTracer()", () => {
  test.each([
    [{}],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", OTEL_SDK_DISABLED: "true" }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", OTEL_TRACES_EXPORTER: "none" }],
  ])("traces nothing with the environment %j", async (environment) => {
    const tracer = await createTracer(environment);
    expect(tracer).toBe(noTracer);
    expect(tracer.startServerSpan(call)).toBeUndefined();
    expect(tracer.addOperation(undefined, operation)).toBeUndefined();
    await tracer.close();
  });

  test("loads nothing of OpenTelemetry's SDK without a collector", async () => {
    const script = `
      import { registerHooks } from "node:module";
      registerHooks({ resolve(name, context, next) {
        if (name.startsWith("@opentelemetry/")) throw new Error("loaded " + name);
        return next(name, context);
      } });
      const { createTracer } = await import("./src/platform/telemetry/create-tracer.ts");
      console.log((await createTracer({})).enabled);`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--input-type=module",
      "-e",
      script,
    ]);
    expect(stdout.trim()).toBe("false");
  });
});

describe("spans", () => {
  test("[telemetry.spans] one per request, continuing the caller's trace, and one per operation of a model below it", async () => {
    const collector = await startCollector();
    const tracer = await tracerTo(collector.url);
    const server = tracer.startServerSpan({
      ...call,
      traceparent: `00-${traceId}-${parentId}-01`,
    });
    tracer.addOperation(server, operation);
    server?.end({ status: 200 });
    await tracer.close();
    const [upstream, request] = collector.spans;
    expect(request).toMatchObject({
      traceId,
      parentSpanId: parentId,
      name: "POST /v1/messages",
      kind: 2,
      status: 0,
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/messages",
        "http.response.status_code": 200,
        "causeway.request_id": "req_1",
      },
    });
    expect(upstream).toMatchObject({
      traceId,
      parentSpanId: request?.spanId,
      kind: 3,
      name: "chat large",
      status: 0,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "large",
        "gen_ai.request.stream": true,
        "gen_ai.response.model": "large-2026",
        "gen_ai.response.time_to_first_chunk": expect.closeTo(0.25, 2),
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.cache_read.input_tokens": 20,
        "gen_ai.usage.cache_creation.input_tokens": 5,
        "gen_ai.usage.output_tokens": 7,
        "http.response.status_code": 200,
        "server.address": "models.example",
        "server.port": 443,
      },
    });
    expect(upstream?.milliseconds).toBeCloseTo(500, -1);
    expect(request?.resource["service.name"]).toBe("causeway");
  });

  test("a trace of its own where the caller's is malformed or not sampled away", async () => {
    const collector = await startCollector();
    const tracer = await tracerTo(collector.url);
    for (const traceparent of [`00-${"0".repeat(32)}-${parentId}-01`, "nonsense"]) {
      tracer.startServerSpan({ ...call, traceparent })?.end({ status: 200 });
    }
    tracer
      .startServerSpan({ ...call, traceparent: `00-${traceId}-${parentId}-00` })
      ?.end({ status: 200 });
    await tracer.close();
    expect(collector.spans).toHaveLength(2);
    for (const span of collector.spans) expect(span.parentSpanId ?? "").toBe("");
  });

  test("refusals are no errors, failures are", async () => {
    const collector = await startCollector();
    const tracer = await tracerTo(collector.url);
    tracer.startServerSpan(call)?.end({ status: 403, errorCode: "insufficient_scope" });
    tracer.startServerSpan(call)?.end({ status: 502, errorCode: "upstream_unreachable" });
    tracer.addOperation(undefined, { ...operation, errorType: "connect" });
    tracer.addOperation(undefined, { ...operation, errorType: "429" });
    await tracer.close();
    expect(
      collector.spans.map(({ status, attributes }) => [status, attributes["error.type"]]),
    ).toEqual([
      [0, "insufficient_scope"],
      [2, "upstream_unreachable"],
      [2, "connect"],
      [2, "429"],
    ]);
  });

  test("what nobody told is left out", async () => {
    const collector = await startCollector();
    const tracer = await tracerTo(collector.url);
    const untold = { responseModel: undefined, tokens: undefined, isStream: false };
    tracer.addOperation(undefined, { ...operation, ...untold });
    await tracer.close();
    const names = Object.keys(collector.spans[0]?.attributes ?? {});
    expect(names.filter((name) => /stream|chunk|usage|response\.model|error/.test(name))).toEqual(
      [],
    );
  });

  test("the service name of the environment wins", async () => {
    const collector = await startCollector();
    vi.stubEnv("OTEL_SERVICE_NAME", "edge");
    const tracer = await tracerTo(collector.url);
    tracer.startServerSpan(call)?.end({ status: 200 });
    await tracer.close();
    expect(collector.spans[0]?.resource["service.name"]).toBe("edge");
  });

  test("a collector that is away does not keep close() from resolving", async () => {
    const tracer = await tracerTo("http://127.0.0.1:9");
    tracer.startServerSpan(call)?.end({ status: 200 });
    await expect(tracer.close()).resolves.toBeUndefined();
  });
});
