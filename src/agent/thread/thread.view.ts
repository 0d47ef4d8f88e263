import { create, type JsonObject as StructJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ThreadSchema,
  ThreadWithTurnsSchema,
  TurnSchema,
  TurnStatusSchema,
  type Thread,
  type ThreadWithTurns,
  type Turn,
} from "../../../gen/ts/causeway/agent/v1/agent_pb.ts";
import { enumNameToNumber } from "../../contract/enum-name.ts";
import type { JsonObject } from "../../dialect/json.ts";
import type { ThreadTurn, ThreadTurnSummary } from "../../domain/durable-turn.ts";
import type { AgentThread } from "./agent-thread.entity.ts";

/** A thread without its turns; `turns`: what is known of them, undefined where it has none. */
export function viewThread(thread: AgentThread, turns: ThreadTurnSummary | undefined): Thread {
  return create(ThreadSchema, { object: "thread", ...membersOf(thread, turns) });
}

/** A thread with what was said in it. */
export function viewThreadWithTurns(
  thread: AgentThread,
  turns: readonly ThreadTurn[],
): ThreadWithTurns {
  const endedAt = turns.findLast((turn) => turn.endedAt !== undefined)?.endedAt;
  return create(ThreadWithTurnsSchema, {
    object: "thread",
    ...membersOf(thread, { count: turns.length, endedAt }),
    turns: turns.map(viewTurn),
  });
}

function membersOf(
  { session, createdAt, updatedAt }: AgentThread,
  turns: ThreadTurnSummary | undefined,
) {
  const { count = 0, endedAt = updatedAt } = turns ?? {};
  const changedAt = endedAt > updatedAt ? endedAt : updatedAt;
  return {
    session,
    turnsCount: count,
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(changedAt),
  };
}

function viewTurn({ id, status, model, input, output, createdAt, endedAt }: ThreadTurn): Turn {
  return create(TurnSchema, {
    id,
    object: "turn",
    status: enumNameToNumber(TurnStatusSchema, status),
    model,
    messages: [...input, ...output].filter(isMessage) as StructJson[],
    createdAt: timestampFromDate(createdAt),
    ...(endedAt !== undefined && { endedAt: timestampFromDate(endedAt) }),
  });
}

function isMessage({ type }: JsonObject): boolean {
  return type === "message";
}
