import { describe, expect, test } from "vitest";
import { createMetrics, type Metrics } from "../../../src/platform/telemetry/metrics.ts";
import type { GenAiOperationRecord } from "../../../src/platform/telemetry/model-operation.ts";

const operation: GenAiOperationRecord = {
  name: "chat",
  provider: "acme",
  requestModel: "large",
  responseModel: undefined,
  isStream: false,
  dialect: "dialect_chat",
  server: new URL("https://models.example/v1"),
  startedAt: 1000,
  firstChunkAt: 1300,
  endedAt: 1500,
  status: 200,
  errorType: undefined,
  tokens: undefined,
};

const labels = 'gen_ai_operation_name="chat",gen_ai_provider_name="acme"';
const durations = "gen_ai_client_operation_duration_seconds";

async function countsOf(metrics: Metrics): Promise<string[]> {
  const lines = (await metrics.render()).split("\n");
  return lines.filter((line) => line.startsWith(`${durations}_count`));
}

const failed = (errorType: string, requestModel = "large"): GenAiOperationRecord => ({
  ...operation,
  status: Number(errorType) || undefined,
  errorType,
  requestModel,
});

describe("metrics of operations of models", () => {
  test("count seconds, and tokens only where they were told", async () => {
    const metrics = createMetrics();
    metrics.modelOperations.ended(operation);
    const tokens = { input: 5, cacheRead: 2, cacheWrite: 0, output: 70_000_000 };
    metrics.modelOperations.ended({ ...operation, tokens });
    const text = await metrics.render();
    const model = `${labels},gen_ai_request_model="large"`;
    expect(text).toContain(`${durations}_sum{${model}} 1\n`);
    expect(text).toContain(`${durations}_bucket{${model},le="0.32"} 0\n`);
    expect(text).toContain(`${durations}_bucket{${model},le="0.64"} 2\n`);
    const output = `${model},gen_ai_token_type="output"`;
    expect(text).toContain(`gen_ai_client_token_usage_count{${output}} 1\n`);
    expect(text).toContain(`gen_ai_client_token_usage_bucket{${output},le="67108864"} 0\n`);
    expect(text).not.toContain("first_chunk_seconds_count");
  });

  test("name a model once it was answered for, and count its failures by its name from then on", async () => {
    const metrics = createMetrics();
    metrics.modelOperations.ended(failed("503"));
    expect(await countsOf(metrics)).toEqual([`${durations}_count{${labels},error_type="503"} 1`]);
    metrics.modelOperations.ended(operation);
    metrics.modelOperations.ended(failed("503"));
    metrics.modelOperations.ended(failed("503", "made-up"));
    const model = `${labels},gen_ai_request_model="large"`;
    expect(await countsOf(metrics)).toEqual([
      `${durations}_count{${labels},error_type="503"} 2`,
      `${durations}_count{${model}} 1`,
      `${durations}_count{${model},error_type="503"} 1`,
    ]);
  });

  test("[telemetry.bounded] have a hundred names a provider, whatever is named by whom", async () => {
    const metrics = createMetrics();
    for (let number = 0; number < 300; number++) {
      const own = { requestModel: `m${number}`, responseModel: `r${number}` };
      metrics.modelOperations.ended({ ...operation, ...own });
      metrics.modelOperations.ended({ ...operation, responseModel: `other-${number}` });
    }
    metrics.modelOperations.ended({ ...operation, provider: "bolt" });
    const lines = await countsOf(metrics);
    expect(lines.filter((line) => line.includes("acme"))).toHaveLength(101);
    expect(lines).toContain(`${durations}_count{${labels}} 500`);
    expect(lines.at(-1)).toContain('provider_name="bolt",gen_ai_request_model="large"');
  });

  test("have no name longer than 128 characters", async () => {
    const metrics = createMetrics();
    metrics.modelOperations.ended({ ...operation, requestModel: "m".repeat(129) });
    expect(await countsOf(metrics)).toEqual([`${durations}_count{${labels}} 1`]);
  });

  test("have twenty kinds of outcome a model; what is beyond is another error", async () => {
    const metrics = createMetrics();
    metrics.modelOperations.ended(operation);
    for (let status = 400; status < 500; status++) {
      metrics.modelOperations.ended(failed(String(status)));
    }
    const lines = await countsOf(metrics);
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toMatch(/error_type="_OTHER"\} 81$/);
  });
});
