import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../../dialect/json.ts";
import { previousResponseNotFoundError } from "../../dialect/responses/missing-stored.ts";
import type { AgentThreadService } from "../../domain/agent-thread.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import { readCallControlHeaders } from "../admission/control-headers.ts";
import { parseCallBody } from "../call/parse-call-body.ts";
import { promptTextLength } from "../call/prompt-text.ts";
import { scanCallBody, replaceBodyModel } from "../call/read-call-body.ts";
import { estimateTextTokens } from "../call/text-length.ts";
import {
  sendUpstreamRequestOnce,
  discardUpstreamResponse,
  type UpstreamRequestDependencies,
} from "../upstream/send-upstream-request.ts";
import { buildUpstreamRequestHeaders, getUpstreamTarget } from "../upstream/call-target.ts";
import {
  requireRelayableResponse,
  type RelayableResponse,
} from "../pass-through/pass-through-response.ts";
import { ensureFreshPlannedTargetToken } from "../routing/fresh-token.ts";
import {
  requireFirstTargetModel,
  type ModelResolutionLookups,
} from "../routing/account-targets.ts";
import { planCallTarget, type PlannedCallTarget } from "../routing/plan.ts";
import { resolveModelId } from "../routing/resolve-model.ts";
import {
  findStoredReferences,
  loadReferencedItems,
  resolveInputItems,
  type StoredItemDependencies,
} from "./stored-references.ts";
import { openSealedSummariesInBody } from "./open-summaries.ts";

export interface InputTokenCountDependencies
  extends UpstreamRequestDependencies, StoredItemDependencies {
  readonly directories: ModelResolutionLookups;
  /** Where the turns of agents are, which a call may go on from as well. */
  readonly threads: Pick<AgentThreadService, "findByTurn" | "conversation">;
  /** Milliseconds until the head of a vendor's answer. */
  readonly firstByteMs: number;
}

type CountSource = StoredItemDependencies & Pick<InputTokenCountDependencies, "threads">;

/** A body of the responses dialect whose tokens are to be counted. */
export interface InputTokenCountRequest {
  readonly key: CallerKey;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Counts what is parsed and loaded, until the request ends. */
  readonly hold: MemoryReserver;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

const dialect = "dialect_responses";
const path = "/responses/input_tokens";

/**
 * Counts the input tokens of a call: by the vendor that would be called with the key's
 * own credential where it speaks responses and counts, else by the estimate of four code
 * points a token. Nothing is charged. Throws 400, or an `UpstreamFailureError`.
 */
export async function countInputTokens(
  dependencies: InputTokenCountDependencies,
  question: InputTokenCountRequest,
): Promise<RelayableResponse> {
  const { accountId } = question.key.principal;
  const sent = scanCallBody(question.bytes);
  const body = openSealedSummariesInBody(dependencies.summaries, accountId, sent, question.hold);
  const plan = await byoPlan(dependencies, question, body.model);
  if (plan === undefined) return estimate(dependencies, question, body.bytes);
  const bytes = replaceBodyModel(body, plan.upstreamModel);
  const counted = await countByVendor(dependencies, question, plan, bytes);
  return counted ?? estimate(dependencies, question, bytes);
}

/** Undefined: no upstream of the account's own would take the body as it is. */
async function byoPlan(
  { directories }: InputTokenCountDependencies,
  { key, headers }: InputTokenCountRequest,
  model: string,
): Promise<PlannedCallTarget | undefined> {
  const controls = readCallControlHeaders(headers);
  try {
    const resolved = requireFirstTargetModel(
      await resolveModelId(directories, key.principal.accountId, model),
    );
    const plan = planCallTarget({ dialect, isConversation: true, key, controls, ...resolved });
    const isPassed = plan.route === "byo" && plan.lane === "pass-through";
    return isPassed ? await ensureFreshPlannedTargetToken(plan) : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Undefined: it speaks responses, but does not count. */
async function countByVendor(
  dependencies: InputTokenCountDependencies,
  { headers, signal }: InputTokenCountRequest,
  plan: PlannedCallTarget,
  body: Buffer,
): Promise<RelayableResponse | undefined> {
  const target = getUpstreamTarget(plan.target);
  const answer = await sendUpstreamRequestOnce(dependencies, target, {
    method: "POST",
    path,
    headers: buildUpstreamRequestHeaders(target, dialect, headers),
    body,
    timeoutMs: dependencies.firstByteMs,
    signal,
  });
  if (answer.status !== 404 && answer.status !== 405)
    return requireRelayableResponse(target, answer);
  discardUpstreamResponse(answer);
  return undefined;
}

async function estimate(
  source: CountSource,
  { key, hold }: InputTokenCountRequest,
  bytes: Buffer,
): Promise<RelayableResponse> {
  const length = await textLength(
    { ...source, hold },
    key.principal.accountId,
    parseCallBody(bytes, hold),
  );
  const count = { object: "response.input_tokens", input_tokens: estimateTextTokens(length) };
  const body = Buffer.from(JSON.stringify(count));
  return { status: 200, contentType: "application/json; charset=utf-8", body };
}

/** Code points of the instructions and of all items, those included that are kept here. */
async function textLength(
  source: CountSource & Pick<InputTokenCountRequest, "hold">,
  accountId: string,
  body: JsonObject,
): Promise<number> {
  const { input = null, instructions } = body;
  if (input !== null && typeof input !== "string" && !Array.isArray(input)) {
    throw invalidRequestError("input", "`input` must be a text or a list of items.");
  }
  const references = findStoredReferences(body);
  const kept =
    references && (await loadReferencedItems(source, accountId, references, source.hold));
  const previous = kept?.previous ?? (await turnItems(source, accountId, references?.previousId));
  return promptTextLength({ instructions, input: [...previous, ...resolveInputItems(body, kept)] });
}

/** What was said up to and with an agent's turn. Throws 400 for an id that is none of the account's. */
async function turnItems(
  { threads, hold }: CountSource & Pick<InputTokenCountRequest, "hold">,
  accountId: string,
  id: string | undefined,
): Promise<readonly JsonObject[]> {
  if (id === undefined) return [];
  const thread = await threads.findByTurn(accountId, id);
  if (thread === undefined) throw previousResponseNotFoundError(id);
  return (await threads.conversation(thread, hold, id)).items;
}
