import { expect, it } from "vitest";
import type { CallableCustomEndpoint } from "../../../src/domain/callable-endpoint.ts";
import type { CallerKey } from "../../../src/domain/caller-key.ts";
import { buildModelEntries } from "../../../src/gateway/rpc/list-model-entries.ts";
import type { ModelListSources } from "../../../src/gateway/rpc/model-entry.ts";
import { countEventLoopTurns } from "../../support/event-loop-turns.ts";

it("lets other work run while a list matches many models with many patterns", async () => {
  const endpoint = {
    slug: "box",
    models: Array.from({ length: 1000 }, (_, index) => `${"a".repeat(290)}${index}`),
    modelNames: {},
    modelMeta: {},
    modelCreated: {},
    createdAt: 0,
  } as unknown as CallableCustomEndpoint;
  const key = {
    principal: { scopes: new Set(["gateway:invoke"]) },
    allowedModels: Array.from({ length: 100 }, (_, index) => `*a*a*${index}z`),
    route: "byo",
  } as unknown as CallerKey;
  const sources = {
    key,
    vendors: [],
    endpoints: [endpoint],
    catalog: [],
    isVendor: () => false,
    modelsOf: () => [],
    creditsError: undefined,
    creditsModelFor: () => undefined,
    engines: { fast: { models: [] }, omni: { models: [] } },
  } as unknown as ModelListSources;
  const { result, turns } = await countEventLoopTurns(() => buildModelEntries(sources));
  expect(result.filter(({ lane }) => lane === "custom")).toHaveLength(1000);
  expect(turns).toBeGreaterThan(20);
});
