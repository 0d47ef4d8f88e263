import type fc from "fast-check";
import type { FuzzCase } from "../fuzz-case.ts";
import type { World } from "../run/world.ts";
import { mcpCases } from "./mcp.ts";
import { modelCases } from "./model.ts";
import { rawHttp1Cases } from "./raw-http1.ts";
import { rawHttp2Cases } from "./raw-http2.ts";
import { restCases } from "./rest.ts";
import { rpcCases } from "./rpc.ts";
import { upstreamCases } from "./upstream.ts";

/** The cases of each protocol; those of one seed differ from run to run in credentials and ids alone. */
export const casesOf = {
  http1: rawHttp1Cases,
  http2: rawHttp2Cases,
  rpc: rpcCases,
  rest: restCases,
  model: modelCases,
  upstream: upstreamCases,
  mcp: mcpCases,
} as const satisfies Record<string, (world: World) => fc.Arbitrary<FuzzCase>>;

export type Protocol = keyof typeof casesOf;

export const protocols = Object.keys(casesOf) as Protocol[];
