import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { DepshealthService } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import {
  PackageHealthReportSchema,
  Verdict,
} from "../../../gen/ts/causeway/depshealth/v1/package_health_pb.ts";
import { RuntimeEolReportSchema } from "../../../gen/ts/causeway/depshealth/v1/runtime_eol_pb.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { RequestBodyMemoryBudget } from "../../../src/platform/body-memory-budget.ts";
import { AddressRateLimiter } from "../../../src/platform/rate-limit/address-limit.ts";
import { RateLimitBuckets } from "../../../src/platform/rate-limit/request-buckets.ts";
import { mountMcp } from "../../../src/transport/mcp/mount.ts";
import { neverShedding } from "../../support/unloaded-gate.ts";
import { partialService, startCallServer, type CallServer } from "../support/call-server.ts";

export interface McpFixtureOptions {
  readonly burst?: number;
  /** Of all request bodies together. */
  readonly heldBodiesMib?: number;
  readonly implementation?: Partial<ServiceImpl<typeof DepshealthService>>;
}

/** A server with the tools of the contract, of which two answer, over MCP and REST. */
export function startMcpServer(options: McpFixtureOptions = {}): Promise<CallServer> {
  const limit = { requestsPerMinute: 60, burst: options.burst ?? 1000 };
  const addressLimit = new AddressRateLimiter(new RateLimitBuckets({ now: () => 0 }), limit);
  const service = partialService(DepshealthService, {
    ...implementation,
    ...options.implementation,
  });
  return startCallServer([service], {
    addressLimit,
    extend: (app, pipeline) =>
      mountMcp(app, {
        services: [service],
        pipeline,
        load: neverShedding,
        addressLimit,
        info: { name: "causeway", version: "0.1.1" },
        instructions: "Ask before you depend.",
        hosts: ["tools.example"],
        bodies: new RequestBodyMemoryBudget(options.heldBodiesMib ?? 512),
        shutdownSignal: new AbortController().signal,
      }),
  });
}

const implementation: Partial<ServiceImpl<typeof DepshealthService>> = {
  packageHealth({ ecosystem, name }) {
    if (name === "broken") throw new Error("a secret of the server");
    return create(PackageHealthReportSchema, {
      object: "package_health",
      ecosystem,
      name,
      verdict: Verdict.UNKNOWN,
      summary: "Nothing is known.",
      reasons: [{ code: "evidence_missing", message: "Nothing." }],
      deprecation: {},
      checkedAt: { seconds: 1n, nanos: 0 },
    });
  },
  runtimeEol({ product }) {
    if (product !== "nodejs") {
      throw new ApiError("not_found", "There is no such product.", { suggestions: ["nodejs"] });
    }
    return create(RuntimeEolReportSchema, {
      object: "runtime_eol",
      product,
      dataset: { fetchedAt: { seconds: 1n, nanos: 0 }, products: 1 },
      checkedAt: { seconds: 1n, nanos: 0 },
    });
  },
};
