import { pino } from "pino";
import { databaseEntities } from "../../src/app/entities.ts";
import { CallLog } from "../../src/call-log/call-log.ts";
import type { CallLogEntry, ByoCallUsage } from "../../src/domain/call-log-entry.ts";
import { openMigratedDatabase } from "../../src/platform/database/database.ts";
import { newResourceId } from "../../src/platform/ids.ts";

/** What a test says of a call; the rest is that of a chat call that was answered. */
export type CallFields = Partial<CallLogEntry> & Pick<CallLogEntry, "accountId" | "keyId">;

/** A call that ended a moment ago. */
export function keptCall(fields: CallFields): CallLogEntry {
  const { endedAt = Date.now() } = fields;
  return {
    id: newResourceId("call", endedAt - 20),
    requestId: newResourceId("req", endedAt - 20),
    dialect: "chat",
    operation: "createChatCompletion",
    model: "acme/large",
    target: "acme/large",
    route: "byo",
    lane: "pass_through",
    isStream: false,
    status: 200,
    errorCode: undefined,
    attempts: [{ target: "acme/large", status: 200, failure: undefined, ms: 18.4 }],
    skipped: [],
    warnings: [],
    endedAt,
    ms: 20,
    firstByteMs: undefined,
    tags: undefined,
    responseId: undefined,
    turn: undefined,
    isRepeated: false,
    use: used(10, 5),
    ...fields,
  };
}

/** Tokens that a call on own credentials has used. */
export function used(inputTokens: number, outputTokens: number): ByoCallUsage {
  const raw = { prompt_tokens: inputTokens, completion_tokens: outputTokens };
  return { inputTokens, cachedInputTokens: 0, outputTokens, isEstimated: false, raw };
}

/** A process beside the server that keeps calls in its database. */
export interface CallWriter {
  /** Keeps calls, and resolves when they are written; the first one. */
  keep(...calls: readonly CallFields[]): Promise<CallLogEntry>;
  close(): Promise<void>;
}

export async function openCallWriter(connectionString: string): Promise<CallWriter> {
  const log = pino({ level: "silent" });
  const database = await openMigratedDatabase({
    connectionString,
    entities: databaseEntities,
    log,
  });
  const calls = new CallLog({ fork: () => database.fork(), log });
  return {
    keep: async (...fields) => {
      const kept = fields.map(keptCall);
      for (const call of kept) calls.record(call);
      await calls.flush();
      const [first] = kept;
      if (first === undefined) throw new Error("no call was given");
      return first;
    },
    close: () => database.close(),
  };
}
