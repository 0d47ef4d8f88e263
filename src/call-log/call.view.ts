import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  CallLaneSchema,
  CallRouteSchema,
  CallSchema as CallMessage,
  SkipReasonSchema,
  type Call as CallView,
} from "../../gen/ts/causeway/call/v1/call_pb.ts";
import { CallerStyleSchema } from "../../gen/ts/causeway/transcode/v1/transcode_pb.ts";
import { enumNameToNumber } from "../contract/enum-name.ts";
import type { LedgerCallUsage } from "../domain/call-usage.ts";
import { nanoDigitsToUsd } from "../domain/money.ts";
import type { LoggedCall } from "./call.entity.ts";

/** Rows of earlier releases may have any number. */
const maxWarnings = 300;

/** A call as its account reads it; without `use` it used nothing. */
export function viewLoggedCall(call: LoggedCall, use: LedgerCallUsage = nothingUsed): CallView {
  return create(CallMessage, {
    id: call.id,
    object: "call",
    at: timestampFromDate(call.at),
    requestId: call.requestId,
    keyId: call.keyId,
    dialect: enumNameToNumber(CallerStyleSchema, call.dialect),
    operation: call.operation,
    model: call.model ?? undefined,
    target: call.target ?? undefined,
    route: call.route === null ? undefined : enumNameToNumber(CallRouteSchema, call.route),
    lane: call.lane === null ? undefined : enumNameToNumber(CallLaneSchema, call.lane),
    stream: call.stream,
    status: call.status,
    errorCode: call.errorCode ?? undefined,
    attempts: attemptsOf(call),
    skipped: (call.skipped ?? []).map((it) => ({
      ...it,
      reason: enumNameToNumber(SkipReasonSchema, it.reason),
    })),
    ms: call.ms,
    firstByteMs: call.firstByteMs ?? undefined,
    ...useFields(use),
    repeated: call.repeated,
    warnings: (call.warnings ?? []).slice(0, maxWarnings),
    tags: { ...call.tags },
    turn: call.turn ?? undefined,
  });
}

function attemptsOf({ target, status, dialMs, attempts }: LoggedCall) {
  return target === null || dialMs === null ? (attempts ?? []) : [{ target, status, ms: dialMs }];
}

/** The same for the operator, who sees whose it is. */
export function viewLoggedCallForOperator(call: LoggedCall, use?: LedgerCallUsage): CallView {
  return Object.assign(viewLoggedCall(call, use), { accountId: call.accountId });
}

const nothingUsed: LedgerCallUsage = {
  input: "0",
  cached: "0",
  output: "0",
  cost: "0",
  estimated: false,
};

function useFields({ input, cached, output, cost, estimated }: LedgerCallUsage) {
  return {
    inputTokens: BigInt(input),
    cachedInputTokens: BigInt(cached),
    outputTokens: BigInt(output),
    costUsd: nanoDigitsToUsd(cost),
    estimated,
  };
}
