import { describe, expect, it } from "vitest";
import { chatDialectOperation } from "../../../src/dialect/chat/index.ts";
import { embeddingsDialectOperation } from "../../../src/dialect/chat/embeddings-surface.ts";
import { compactionDialectOperation } from "../../../src/dialect/responses/compact-surface.ts";
import type { CallControlHeaders } from "../../../src/gateway/admission/control-headers.ts";
import { isCallToAgent } from "../../../src/gateway/agent/is-agent-call.ts";
import { parseModelReference } from "../../../src/gateway/routing/model-reference.ts";
import { ApiError } from "../../../src/platform/errors.ts";

const surfaces = {
  talk: chatDialectOperation,
  embeddings: embeddingsDialectOperation,
  compact: compactionDialectOperation,
};

interface Asked extends Partial<Pick<CallControlHeaders, "mode" | "engine">> {
  readonly model: string;
  readonly ofKey?: "model" | "agent";
  readonly surface?: keyof typeof surfaces;
  readonly turnId?: string;
}

function reaches({ model, ofKey = "model", surface = "talk", turnId, ...controls }: Asked) {
  const reference = parseModelReference(model, () => false);
  const call = {
    surface: surfaces[surface],
    key: { mode: ofKey },
    controls: { mode: undefined, engine: undefined, ...controls },
    ...(turnId !== undefined && { turnId }),
  };
  const resolved = { call, model: { reference, owned: [], sold: undefined } };
  return isCallToAgent(resolved as unknown as Parameters<typeof isCallToAgent>[0]);
}

describe("a call", () => {
  it.each<[Asked, boolean]>([
    [{ model: "m" }, false],
    [{ model: "agent" }, true],
    [{ model: "agent-fast" }, true],
    [{ model: "agent-omni", engine: "omni" }, true],
    [{ model: "agent", mode: "agent" }, true],
    [{ model: "agent", ofKey: "model" }, true],
    [{ model: "m", mode: "agent" }, true],
    [{ model: "m", mode: "agent", engine: "omni" }, true],
    [{ model: "m", ofKey: "agent" }, true],
    [{ model: "m", ofKey: "agent", mode: "model" }, false],
    [{ model: "m", ofKey: "agent", surface: "embeddings" }, false],
    [{ model: "m", ofKey: "agent", surface: "compact" }, false],
    [{ model: "m", ofKey: "agent", turnId: "turn_1" }, false],
  ])("[agent.mode] that asks with %j reaches the agent: %s", (asked, isReached) => {
    expect(reaches(asked)).toBe(isReached);
  });

  it.each<[Asked, string, RegExp]>([
    [{ model: "agent", mode: "model" }, "x-svc-mode", /leave the header out/],
    [{ model: "agent", mode: "model", ofKey: "agent" }, "x-svc-mode", /leave the header out/],
    [{ model: "m", engine: "omni" }, "x-svc-engine", /leave it out\.$/],
    [{ model: "m", engine: "omni", ofKey: "agent", mode: "model" }, "x-svc-engine", /leave it out/],
    [{ model: "m", mode: "agent", surface: "embeddings" }, "x-svc-mode", /or use `model`/],
    [{ model: "m", mode: "agent", surface: "compact" }, "x-svc-mode", /or use `model`/],
    [{ model: "agent", surface: "embeddings" }, "model", /name an ordinary model/],
    [{ model: "agent", surface: "compact" }, "model", /name an ordinary model/],
  ])("[agent.mode-refused] that asks with %j is refused and names %s", (asked, param, message) => {
    const refusal = refusalOf(asked);
    expect(refusal).toMatchObject({ code: "invalid_request", param });
    expect(refusal?.message).toMatch(message);
  });
});

function refusalOf(asked: Asked): ApiError | undefined {
  try {
    reaches(asked);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return undefined;
}
