import { create } from "@bufbuild/protobuf";
import { createContextValues, type HandlerContext } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { DepsAuditRequestSchema } from "../../../gen/ts/causeway/depshealth/v1/deps_audit_pb.ts";
import {
  createDepshealthRpc,
  type DepshealthRpcDependencies,
} from "../../../src/depshealth/depshealth.rpc.ts";
import { countEventLoopTurns } from "../../support/event-loop-turns.ts";

it("deps_audit lets other work run while it reads manifests that have arrived together", async () => {
  const read: Partial<DepshealthRpcDependencies> = {
    facts: {
      gatherEach: () => Promise.reject(new Error("read")),
      gather: () => Promise.resolve([]),
    },
    clock: { now: () => 0 },
  };
  // oxlint-disable-next-line no-unsafe-type-assertion -- nothing else is used before the facts
  const { depsAudit } = createDepshealthRpc(read as DepshealthRpcDependencies);
  const names = Array.from({ length: 1000 }, (_, at) => [`${at}~`, "a@#"]);
  const manifest = JSON.stringify({ dependencies: Object.fromEntries(names) });
  const request = create(DepsAuditRequestSchema, { manifest });
  // oxlint-disable-next-line no-unsafe-type-assertion -- the handler reads the signal alone
  const context = {
    signal: AbortSignal.timeout(60_000),
    values: createContextValues(),
  } as HandlerContext;
  const { turns } = await countEventLoopTurns(() =>
    Promise.allSettled([1, 2, 3].map(async () => depsAudit(request, context))),
  );
  expect(turns).toBeGreaterThan(9);
});
