import { asNumber, type JsonObject } from "../../dialect/json.ts";
import type { ConversionWarning } from "../../dialect/conversion-warning.ts";
import { buildResponsesQueuedResponse } from "../../dialect/responses/queued-response.ts";
import type {
  AgentEngine,
  AgentExtensionOwner,
  AgentTurnSettings,
} from "../../domain/agent-turn.ts";
import type { AgentThreadService, ThreadConversation } from "../../domain/agent-thread.ts";
import type { CallerToolReply, ThreadContinuation, NewTurn } from "../../domain/durable-turn.ts";
import type { AgentEngineConfiguration } from "../../platform/configuration/agents.ts";
import { ApiError } from "../../platform/errors.ts";
import { newResourceId } from "../../platform/ids.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import type { ModelCall } from "../call/model-call.ts";
import {
  findStoredReferences,
  loadReferencedItems,
} from "../stored-responses/stored-references.ts";
import type { PlannedCallTarget } from "../routing/plan.ts";
import type { ResolvedCall } from "../routing/resolve-call.ts";
import { selectTurnRequestHeaders } from "../turn/stored-headers.ts";
import type {
  AgentTurnPlanningDependencies,
  AgentTurnStartDependencies,
} from "./agent-dependencies.ts";
import { parseAgentCallRequest, type NormalizedAgentRequest } from "./agent-request.ts";
import { assertMcpServerDeclarationsValid } from "./check-declared-servers.ts";
import { orderAgentEngines } from "./choose-engine.ts";
import {
  listAccountEndpointModelIds,
  findReachableAgentModel,
  requireReachableAgentModel,
  type AgentModelCandidate,
} from "./choose-model.ts";
import type { BusyThread, ThreadResumePoint } from "./locate-thread.ts";
import { createThreadItemFinder } from "./thread-item-finder.ts";
import { addDecidedApprovalOutputs, type ResolvedCallerToolReplies } from "./given-answers.ts";
import { extractLeadingModelMention } from "./mentioned-model.ts";
import { rejectUnknownCallerToolReplies } from "./reject-unknown-results.ts";
import { turnMaxOutputTokens, buildAgentDryRunCall } from "./build-trial-call.ts";

/** A turn that can be stored, and what its caller is told before its first word. */
export interface PreparedAgentTurn {
  readonly turn: NewTurn & {
    readonly agent: AgentTurnSettings;
    readonly thread: ThreadContinuation;
  };
  readonly request: NormalizedAgentRequest;
  /** Where its first call goes; undefined: that is decided at each call. */
  readonly plan: PlannedCallTarget | undefined;
  readonly warnings: readonly ConversionWarning[];
}

/** What a turn is planned from. */
export interface AgentTurnPreparationInput {
  readonly resolved: ResolvedCall;
  readonly body: JsonObject;
  readonly place: ThreadResumePoint;
  readonly request: NormalizedAgentRequest;
  readonly given: ResolvedCallerToolReplies;
  readonly response: CallerResponse;
}

/** A call, and where it goes on. */
interface PlacedCall extends Pick<AgentTurnPreparationInput, "resolved" | "body"> {
  readonly place: ThreadResumePoint | BusyThread;
}

/** Plans a turn. Rejects with the refusal of what an agent cannot take, or nobody can serve or pay. */
export async function prepareAgentTurn(
  dependencies: AgentTurnStartDependencies,
  planning: AgentTurnPreparationInput,
): Promise<PreparedAgentTurn> {
  const { resolved, body, place, given } = planning;
  const { call } = resolved;
  const request = { ...planning.request, newItems: given.added };
  const { servers, echoed: told } = request;
  await assertMcpServerDeclarationsValid(
    dependencies.agents,
    receiverOf(call),
    servers,
    told["tool_choice"],
  );
  const isFirst = !hasTurns(place);
  const { threads } = dependencies.agents;
  const { accountId } = call.key.principal;
  const found = isFirst
    ? threads.resentConversation(accountId, request.history)
    : place.conversation;
  const before = withDecided(threads, found, given);
  rejectUnknownCallerToolReplies(before, request.newItems, request.neutralRequest);
  const { aliases } = dependencies.directories;
  const { answers } = given;
  const param = call.surface.dialect === "dialect_responses" ? "input" : "messages";
  const { items, model: mentioned } = await extractLeadingModelMention(
    aliases,
    accountId,
    request.newItems,
    param,
  );
  // What is approved here is made, and has its result, before the first call of the model.
  const results = items.filter(({ type }) => type !== "mcp_approval_response");
  const conversation = [...before.itemsBefore(results), ...items];
  const chosen = await choose(dependencies, { ...planning, request, mentioned, conversation });
  const thread = join(dependencies.agents, place, before.items);
  // A thread whose turns were deleted is there, and has nothing said.
  const added =
    isFirst && place.thread !== undefined ? [...before.itemsBefore(items), ...items] : items;
  return {
    turn: turnOf(dependencies, { call, body, request, added, answers, chosen, thread }),
    request,
    plan: chosen.model.plan,
    warnings: [...request.warnings, ...chosen.model.warnings],
  };
}

function withDecided(
  threads: AgentThreadService,
  found: ThreadConversation,
  { decided }: ResolvedCallerToolReplies,
): ThreadConversation {
  const items = addDecidedApprovalOutputs(found, decided);
  if (items === found.items) return found;
  const { lastTurn, lastEngine } = found;
  return { ...threads.conversationOf(items), lastTurn, lastEngine };
}

function hasTurns({ conversation }: ThreadResumePoint): boolean {
  return conversation.items.length > 0;
}

/** Reads what a call asks for, beside what its thread has. Rejects as `parseAgentCallRequest` throws. */
export async function readAgentRequestInThread(
  { transcoding }: AgentTurnStartDependencies,
  { resolved: { call }, body, place }: PlacedCall,
): Promise<NormalizedAgentRequest> {
  const { dialect } = call.surface;
  const references =
    dialect === "dialect_responses" ? findStoredReferences({ input: body["input"] }) : undefined;
  const kept =
    references &&
    (await loadReferencedItems(transcoding, call.key.principal.accountId, references, call.hold));
  const threadItem = createThreadItemFinder(place);
  return parseAgentCallRequest(body, {
    dialect,
    headers: textHeaders(call),
    hasTurns: "running" in place || hasTurns(place),
    isNewHistory: place.isAllNew,
    isStrict: call.controls.isStrict,
    storedItem: (id) => kept?.find(id) ?? threadItem(id),
  });
}

function textHeaders({ headers }: ModelCall): Readonly<Record<string, string | undefined>> {
  const names = ["anthropic-version", "anthropic-beta", "openai-beta"];
  return Object.fromEntries(names.map((name) => [name, headers[name]?.toString()]));
}

interface ChoosingEngine extends AgentTurnPreparationInput {
  /** The alias that its caller mentions. */
  readonly mentioned: string | undefined;
  readonly conversation: readonly JsonObject[];
}

/** What a turn runs on. */
interface ChosenEngine {
  readonly engine: AgentEngine;
  readonly configuration: Pick<AgentEngineConfiguration, "instructions" | "limits">;
  readonly model: AgentModelCandidate;
}

async function choose(
  dependencies: AgentTurnStartDependencies,
  choosing: ChoosingEngine,
): Promise<ChosenEngine> {
  const { resolved, request, place, mentioned } = choosing;
  const { call, body, model } = resolved;
  const isAgentModel = !("targets" in model) && model.reference.kind === "agent";
  const { agents } = dependencies;
  const engines = await orderAgentEngines(
    {
      agent: isAgentModel ? body.model : undefined,
      isPinned: call.controls.engine === "omni",
      settings: request.echoed,
      added: request.newItems,
      lastEngine: place.conversation.lastEngine,
    },
    () => agents.hasTools(receiverOf(call)),
  );
  const named = mentioned ?? (isAgentModel ? undefined : body.model);
  if (named === undefined) return firstEngine(dependencies, choosing, engines);
  const configuration = engineOf(agents, engines[0]);
  const tried = buildAgentDryRunCall(choosing, configuration);
  return {
    engine: engines[0],
    configuration,
    model: await requireReachableAgentModel(dependencies, named, tried),
  };
}

/** The first engine with a model that the caller can reach; else the first endpoint's model. */
async function firstEngine(
  dependencies: AgentTurnStartDependencies,
  choosing: ChoosingEngine,
  engines: readonly [AgentEngine, ...AgentEngine[]],
): Promise<ChosenEngine> {
  const { agents } = dependencies;
  const refusals: ApiError[] = [];
  const tryModels = async (engine: AgentEngine, models: readonly string[]) => {
    const configuration = engineOf(agents, engine);
    const tried = buildAgentDryRunCall(choosing, configuration);
    const model = await findReachableAgentModel(dependencies, models, tried, refusals);
    return model && { engine, configuration, model };
  };
  for (const engine of engines) {
    const chosen = await tryModels(engine, engineOf(agents, engine).models);
    if (chosen !== undefined) return chosen;
  }
  const own = await listAccountEndpointModelIds(dependencies, choosing.resolved.call);
  const chosen = await tryModels(engines[0], own);
  if (chosen !== undefined) return chosen;
  throw mostRelevantError(refusals) ?? noReachableModelError(choosing.resolved.body.model);
}

/** That nobody can pay, or that the conversation is too large, says more than that something is not linked. */
function mostRelevantError(refusals: readonly ApiError[]): ApiError | undefined {
  const byStatus = (status: number) => refusals.find((refusal) => refusal.status === status);
  const ofKey = refusals.find(({ code }) => code === "model_not_allowed");
  const passing = refusals.find(({ status }) => status >= 500);
  const ofCall = byStatus(402) ?? byStatus(400) ?? byStatus(413) ?? byStatus(429);
  return ofCall ?? passing ?? ofKey;
}

function noReachableModelError(agent: string): ApiError {
  return new ApiError(
    "no_vendor_credential",
    `No model is available for \`${agent}\`: none of those that this server has for it can be reached with this key's route, and the account has no custom endpoint. Link a vendor (PUT /v1/vendors/{vendor}/credential) or register an endpoint (POST /v1/upstreams).`,
  );
}

function engineOf(
  { engines }: AgentTurnPlanningDependencies,
  engine: AgentEngine,
): AgentEngineConfiguration {
  return engine === "model"
    ? { models: [], instructions: undefined, limits: engines.limits }
    : engines[engine];
}

function receiverOf({ key }: ModelCall): AgentExtensionOwner {
  const { accountId, userId } = key.principal;
  return { accountId, userId };
}

function join(
  { threads }: AgentTurnPlanningDependencies,
  { thread, session, conversation: { lastTurn } }: ThreadResumePoint,
  before: readonly JsonObject[],
): ThreadContinuation {
  if (thread === undefined) return threads.prepareThread(session, before);
  return { id: thread.id, session: thread.session, isNew: false, history: undefined, lastTurn };
}

interface TurnParts {
  readonly call: ModelCall;
  readonly body: JsonObject;
  readonly request: NormalizedAgentRequest;
  readonly added: readonly JsonObject[];
  readonly answers: readonly CallerToolReply[];
  readonly chosen: ChosenEngine;
  readonly thread: ThreadContinuation;
}

function turnOf(
  { clock }: AgentTurnStartDependencies,
  { call, body, request, added, answers, chosen, thread }: TurnParts,
): PreparedAgentTurn["turn"] {
  const now = clock.now();
  const id = newResourceId("turn", now);
  const { accountId, keyId } = call.key.principal;
  const { settings, echoed: told } = request;
  const own = request.instructions === undefined ? {} : { instructions: request.instructions };
  const said = {
    ...told,
    ...own,
    model: body["model"],
    previous_response_id: body["previous_response_id"],
  };
  const response = {
    ...buildResponsesQueuedResponse({ id, created: Math.floor(now / 1000), body: said }),
    background: wantsBackgroundTurn(call, body),
  };
  const headers = { ...selectTurnRequestHeaders(call.headers), "x-svc-session": thread.session };
  const { requestId, address, callId } = call;
  const toRun = JSON.stringify({
    ...settings,
    ...own,
    model: body["model"],
    input: added,
    stream: true,
  });
  return {
    id,
    accountId,
    keyId,
    request: { requestId, address, callId, headers: withoutStrict(headers), body: toRun },
    input: added,
    response,
    agent: agentOf(call, request, chosen, thread),
    thread,
    answers,
  };
}

/** Losses were refused with the call; what a later step leaves out of the history is no fault of its caller. */
function withoutStrict(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { "x-svc-strict": _strict, ...others } = headers;
  return others;
}

/** Whether the caller wants to hear no more than that the turn is there. */
export function wantsBackgroundTurn({ surface }: ModelCall, body: JsonObject): boolean {
  return surface.dialect === "dialect_responses" && body["background"] === true;
}

function agentOf(
  call: ModelCall,
  { settings, servers }: NormalizedAgentRequest,
  { engine, configuration, model }: ChosenEngine,
  { id, session }: ThreadContinuation,
): AgentTurnSettings {
  const { instructions, limits } = configuration;
  return {
    threadId: id,
    session,
    engine,
    model: model.id,
    instructions,
    limits: {
      ...limits,
      toolCalls: Math.min(
        asNumber(settings["max_tool_calls"]) ?? limits.toolCalls,
        limits.toolCalls,
      ),
      outputTokens: turnMaxOutputTokens(settings, limits),
    },
    receiver: receiverOf(call),
    canApprove: call.surface.dialect === "dialect_responses",
    ...(servers.length > 0 && { hosted: servers.map(({ server }) => server) }),
  };
}
