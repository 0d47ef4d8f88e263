import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  CallLane as LaneNumber,
  CallRoute as RouteNumber,
  CallSchema as CallMessage,
  SkipReason as ReasonNumber,
  type Call as CallView,
} from "../../gen/ts/causeway/call/v1/call_pb.ts";
import { CallerStyle } from "../../gen/ts/causeway/transcode/v1/transcode_pb.ts";
import type { CallUse } from "../kernel/call-use.ts";
import type { CallDialect, CallLane, ServedRoute, SkipReason } from "../kernel/kept-call.ts";
import { usdOfNano } from "../kernel/money.ts";
import type { Call } from "./call.entity.ts";

/** A call as its account reads it; without `use` it used nothing. */
export function callView(call: Call, use: CallUse = nothingUsed): CallView {
  return create(CallMessage, {
    id: call.id,
    object: "call",
    at: timestampFromDate(call.at),
    requestId: call.requestId,
    keyId: call.keyId,
    dialect: dialectNumbers[call.dialect],
    operation: call.operation,
    model: call.model ?? undefined,
    target: call.target ?? undefined,
    route: call.route === null ? undefined : routeNumbers[call.route],
    lane: call.lane === null ? undefined : laneNumbers[call.lane],
    stream: call.stream,
    status: call.status,
    errorCode: call.errorCode ?? undefined,
    attempts: call.attempts ?? [],
    skipped: (call.skipped ?? []).map((it) => ({ ...it, reason: reasonNumbers[it.reason] })),
    ms: call.ms,
    firstByteMs: call.firstByteMs ?? undefined,
    ...useFields(use),
    repeated: call.repeated,
    warnings: call.warnings ?? [],
    tags: { ...call.tags },
    turn: call.turn ?? undefined,
  });
}

/** The same for the operator, who sees whose it is. */
export function operatorCallView(call: Call, use?: CallUse): CallView {
  return Object.assign(callView(call, use), { accountId: call.accountId });
}

const nothingUsed: CallUse = { input: "0", cached: "0", output: "0", cost: "0", estimated: false };

function useFields({ input, cached, output, cost, estimated }: CallUse) {
  return {
    inputTokens: BigInt(input),
    cachedInputTokens: BigInt(cached),
    outputTokens: BigInt(output),
    costUsd: usdOfNano(cost),
    estimated,
  };
}

/** The numbers that the contract gives to what the database spells out. */
const dialectNumbers: Readonly<Record<CallDialect, CallerStyle>> = {
  chat: CallerStyle.CHAT,
  responses: CallerStyle.RESPONSES,
  messages: CallerStyle.MESSAGES,
};

const routeNumbers: Readonly<Record<ServedRoute, RouteNumber>> = {
  byo: RouteNumber.BYO,
  credits: RouteNumber.CREDITS,
};

const laneNumbers: Readonly<Record<CallLane, LaneNumber>> = {
  pass_through: LaneNumber.PASS_THROUGH,
  transcode: LaneNumber.TRANSCODE,
};

const reasonNumbers: Readonly<Record<SkipReason, ReasonNumber>> = {
  resting: ReasonNumber.RESTING,
  not_allowed: ReasonNumber.NOT_ALLOWED,
  no_credential: ReasonNumber.NO_CREDENTIAL,
  route: ReasonNumber.ROUTE,
  mode: ReasonNumber.MODE,
};
