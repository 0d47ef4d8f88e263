import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { Registry } from "prom-client";
import { ApprovalRequestSigner } from "../../../src/agent/run/approval-id.ts";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { asArrayOrEmpty, type JsonObject } from "../../../src/dialect/json.ts";
import { buildResponsesQueuedResponse } from "../../../src/dialect/responses/queued-response.ts";
import type {
  AgentToolsetSnapshot,
  AgentToolRuntime,
  AgentTurnSettings,
  AgentToolDefinition,
  AgentToolCall,
  AgentToolResult,
} from "../../../src/domain/agent-turn.ts";
import type { TurnConversationItems } from "../../../src/domain/durable-turn.ts";
import type { AgentLimits } from "../../../src/platform/configuration/agents.ts";
import { SecretBox } from "../../../src/platform/crypto/secret-box.ts";
import { openMigratedDatabase, type Database } from "../../../src/platform/database/database.ts";
import { newResourceId } from "../../../src/platform/ids.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import type { SseEvent } from "../../../src/platform/sse/stream-event.ts";
import { createTurnMetrics } from "../../../src/platform/telemetry/turn-metrics.ts";
import { TurnRun } from "../../../src/turn/turn-run.ts";
import { TurnEventBatchEntity } from "../../../src/turn/turn-event-batch.entity.ts";
import { InProcessTurnNotifier } from "../../../src/turn/turn-notifier.ts";
import { TurnQueue, type ClaimedTurn } from "../../../src/turn/turn-queue.ts";
import { TurnStore } from "../../../src/turn/turn-store.ts";
import { DurableTurnEntity } from "../../../src/turn/turn.entity.ts";
import { DatabaseTurnService } from "../../../src/turn/turns.ts";
import { FakeFeed } from "../../support/fake-feed.ts";
import { createTestDatabase } from "../../support/test-database.ts";
import type { ScriptedModel } from "./scripted-model.ts";

export const limits: AgentLimits = {
  steps: 24,
  toolCalls: 64,
  seconds: 900,
  outputTokens: 32_000,
  costUsd: 5,
};

/** Tools whose calls a test answers, and counts. */
export class ScriptedTools implements AgentToolRuntime {
  readonly calls: AgentToolCall[] = [];
  readonly ended: string[] = [];
  readonly instructions: readonly string[];
  outfits = 0;
  readonly #tools: readonly AgentToolDefinition[];
  readonly #answer: (call: AgentToolCall) => Promise<AgentToolResult> | AgentToolResult;

  constructor(
    tools: readonly AgentToolDefinition[],
    answer: (call: AgentToolCall) => Promise<AgentToolResult> | AgentToolResult = ({
      arguments: text,
    }) => textResult(`did ${text}`),
    instructions: readonly string[] = [],
  ) {
    this.#tools = tools;
    this.#answer = answer;
    this.instructions = instructions;
  }

  async buildToolset(
    _receiver: unknown,
    declared: readonly JsonObject[],
  ): Promise<AgentToolsetSnapshot> {
    this.outfits += 1;
    const callers = declared.map((tool): AgentToolDefinition => ({
      name: String(tool["name"]),
      description: undefined,
      parameters: {},
      source: { kind: "declared", tool },
    }));
    return { instructions: this.instructions, tools: [...this.#tools, ...callers] };
  }

  async call(call: AgentToolCall): Promise<AgentToolResult> {
    this.calls.push(call);
    return this.#answer(call);
  }

  endTurn(turnId: string): void {
    this.ended.push(turnId);
  }
}

export function textResult(text: string): AgentToolResult {
  return { output: [{ type: "input_text", text }], isError: false };
}

export function ownTool(name: string): AgentToolDefinition {
  return {
    name,
    description: "Ours.",
    parameters: { type: "object" },
    source: { kind: "own", tool: name },
  };
}

export function mcpTool(
  name: string,
  { mayRepeat = false, needsApproval = false } = {},
): AgentToolDefinition {
  const source = {
    kind: "mcp",
    itemId: "item_1",
    server: "shop",
    tool: name,
    mayRepeat: mayRepeat,
    needsApproval,
  } as const;
  return { name: `shop_${name}`, description: undefined, parameters: { type: "object" }, source };
}

/** A turn of an agent, in part. */
export interface TurnPlan {
  readonly body?: JsonObject;
  readonly input?: readonly JsonObject[];
  readonly agent?: Partial<AgentTurnSettings>;
  readonly history?: readonly JsonObject[];
  readonly tools?: AgentToolRuntime;
}

export interface AgentEnvironment {
  readonly turns: DatabaseTurnService;
  readonly queue: TurnQueue;
  readonly database: Database;
  /** Stores a turn; nobody runs it yet. */
  start(plan: TurnPlan): Promise<string>;
  /** Takes what waits, as one process more would. */
  take(model: ScriptedModel, plan: TurnPlan): Promise<ClaimedTestTurn>;
  /** All of it, by one process. */
  run(model: ScriptedModel, plan?: TurnPlan): Promise<EndedTurn>;
  /** A turn that has ended. */
  ended(id: string): Promise<EndedTurn>;
  metrics(): Promise<string>;
  close(): Promise<void>;
}

export interface ClaimedTestTurn {
  readonly run: TurnRun;
  readonly running: Promise<void>;
  /** As where its process was killed: it says nothing more, and its lease runs out. */
  kill(): Promise<void>;
  /** As where its process stands still: its lease runs out, which it does not know. */
  expire(): Promise<void>;
}

export interface EndedTurn extends TurnConversationItems {
  /** The response object. */
  readonly response: JsonObject;
  readonly id: string;
  readonly events: readonly SseEvent[];
  /** What in the stream is against the grammar of the dialect. */
  readonly faults: readonly unknown[];
}

/** Signs the approval requests of these turns. */
export const approvals = new ApprovalRequestSigner(randomBytes(32));

const input = [{ type: "message", role: "user", content: "Hello?" }];

export async function openAgentEnvironment(): Promise<AgentEnvironment> {
  const testDatabase = await createTestDatabase();
  const entities = [DurableTurnEntity, TurnEventBatchEntity];
  const log = pino({ level: "silent" });
  const database = await openMigratedDatabase({ ...testDatabase, entities, log });
  const feed = new FakeFeed();
  const fork = () => database.fork();
  const queue = new TurnQueue({ runPrepared: database.runPrepared, feed });
  const box = new SecretBox([randomBytes(32)]);
  const store = new TurnStore({ fork, box, clock: Date, days: 30, threadsDays: 30 });
  const news = new InProcessTurnNotifier();
  const turns = new DatabaseTurnService({
    store,
    queue,
    feed,
    notifier: news,
    worker: () => undefined,
  });
  const registry = new Registry();
  const counts = createTurnMetrics(registry);

  const ground: AgentEnvironment = {
    turns,
    queue,
    database,
    start: async (plan) => {
      const id = newResourceId("turn");
      const turn = { ...plan, input: plan.input ?? input };
      const body = { model: "agent-omni", input: turn.input, ...plan.body };
      const text = JSON.stringify(body);
      const request = { requestId: "req_1", address: "::1", callId: "call_first", headers: {} };
      await turns.start({
        id,
        accountId: "user_1",
        keyId: newResourceId("key"),
        request: { ...request, body: text },
        input: turn.input,
        response: buildResponsesQueuedResponse({ id, created: 1, body }),
        agent: agentOf(plan),
      });
      return id;
    },
    take: async (model, { history = [], tools = new ScriptedTools([]) }) => {
      const claim = await claimOne(queue);
      const agent = { tools, history: { historyBefore: async () => history }, approvals };
      const parts = {
        queue,
        store,
        notifier: news,
        caller: model,
        fork,
        counts,
        clock: Date,
        agent,
      };
      const run = new TurnRun(parts, claim);
      const running = run.run();
      const expire = (): Promise<void> => expireLease(database, claim.runId);
      const kill = async (): Promise<void> => {
        run.loseLease();
        await running;
        await expire();
      };
      return { run, running, kill, expire };
    },
    run: async (model, plan = {}) => {
      const id = await ground.start(plan);
      await (
        await ground.take(model, plan)
      ).running;
      return ground.ended(id);
    },
    ended: async (id) => {
      const turn = await store.load(id);
      if (turn === undefined) throw new Error(`there is no ${id}`);
      const told = await store.framesAfter(id, -1);
      const text = (told?.batches ?? []).flatMap(({ frames }) => frames).join("");
      const events = parseEventStreamText(text);
      const { content, ended, items, status, isCancelled } = turn;
      const { input } = content;
      const running = { ...content.response, status: isCancelled ? "cancelled" : status };
      const response = ended ?? running;
      return { response, input, items, id, events, faults: checkResponsesStream(events) };
    },
    metrics: () => registry.metrics(),
    close: async () => {
      await database.close();
      await testDatabase.drop();
    },
  };
  return ground;
}

/** Items that an upstream was asked with. */
export function itemsIn(body: JsonObject | undefined): readonly JsonObject[] {
  return asArrayOrEmpty(body?.["input"]) as readonly JsonObject[];
}

function agentOf({ agent }: TurnPlan): AgentTurnSettings {
  return {
    threadId: "thread_1",
    session: "s",
    engine: "omni",
    model: "custom/box/m",
    instructions: "You are omni.",
    limits,
    receiver: { accountId: "user_1", userId: "user_1" },
    canApprove: true,
    ...agent,
  };
}

/** A lease that has run out is seen by one claim, and the turn taken by the next. */
async function claimOne(queue: TurnQueue): Promise<ClaimedTurn> {
  for (let tries = 0; tries < 100; tries += 1) {
    const [claim] = await queue.claim({ workerId: "worker", freePlaces: 1 });
    if (claim !== undefined) return claim;
  }
  throw new Error("nothing to claim");
}

async function expireLease(database: Database, runId: string): Promise<void> {
  await database
    .fork()
    .execute(
      `update absurd.r_turns set claim_expires_at = clock_timestamp() - interval '1 second' where run_id = ?`,
      [runId],
    );
}
