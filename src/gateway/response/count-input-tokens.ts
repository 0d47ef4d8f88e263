import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../../dialect/json.ts";
import { missingResponse } from "../../dialect/responses/missing-kept.ts";
import type { AgentThreads } from "../../kernel/agent-thread.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import { ApiError, invalidRequest } from "../../platform/errors.ts";
import { readControlHeaders } from "../admission/control-headers.ts";
import { promptTextLength } from "../call/prompt-text.ts";
import { readCallBody, withModel } from "../call/read-call-body.ts";
import { estimatedTokens } from "../call/text-length.ts";
import { askUpstream, dropAnswer, type AskDependencies } from "../dial/ask-upstream.ts";
import { dialHeaders, callTargetOf } from "../dial/call-target.ts";
import { passedAnswer, type PassedAnswer } from "../relay/passed-answer.ts";
import { withLiveToken } from "../routing/live-token.ts";
import { firstModelOf, type Directories } from "../routing/owned-targets.ts";
import { makePlan, type Plan } from "../routing/plan.ts";
import { resolveModel } from "../routing/resolve-model.ts";
import { parseBody } from "../transcode/prepare-transcode.ts";
import { keptReferences, loadKept, ownItems, type KeptSource } from "./kept-references.ts";
import { withOpenSummaries } from "./open-summaries.ts";

export interface CountDependencies extends AskDependencies, KeptSource {
  readonly directories: Directories;
  /** Where the turns of agents are, which a call may go on from as well. */
  readonly threads: Pick<AgentThreads, "ofTurn" | "conversation">;
  /** Milliseconds until the head of a vendor's answer. */
  readonly firstByteMs: number;
}

type CountSource = KeptSource & Pick<CountDependencies, "threads">;

/** A body of the responses dialect whose tokens are to be counted. */
export interface CountQuestion {
  readonly key: CallerKey;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

const dialect = "dialect_responses";
const path = "/responses/input_tokens";

/**
 * Counts the input tokens of a call: by the vendor that would be called with the key's
 * own credential where it speaks responses and counts, else by the estimate of four code
 * points a token. Nothing is charged. Throws 400, or an `UpstreamFailure`.
 */
export async function countInputTokens(
  dependencies: CountDependencies,
  question: CountQuestion,
): Promise<PassedAnswer> {
  const { accountId } = question.key.principal;
  const sent = readCallBody(question.bytes);
  const body = withOpenSummaries(dependencies.summaries, accountId, sent);
  const plan = await ownPlan(dependencies, question, body.model);
  if (plan === undefined) return estimate(dependencies, question.key, body.bytes);
  const bytes = withModel(body, plan.upstreamModel);
  const counted = await countByVendor(dependencies, question, plan, bytes);
  return counted ?? estimate(dependencies, question.key, bytes);
}

/** Undefined: no upstream of the account's own would take the body as it is. */
async function ownPlan(
  { directories }: CountDependencies,
  { key, headers }: CountQuestion,
  model: string,
): Promise<Plan | undefined> {
  const controls = readControlHeaders(headers);
  try {
    const resolved = firstModelOf(await resolveModel(directories, key.principal.accountId, model));
    const plan = makePlan({ dialect, isConversation: true, key, controls, ...resolved });
    const isPassed = plan.route === "byo" && plan.lane === "pass-through";
    return isPassed ? await withLiveToken(plan) : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Undefined: it speaks responses, but does not count. */
async function countByVendor(
  dependencies: CountDependencies,
  { headers, signal }: CountQuestion,
  plan: Plan,
  body: Buffer,
): Promise<PassedAnswer | undefined> {
  const target = callTargetOf(plan.target);
  const answer = await askUpstream(dependencies, target, {
    method: "POST",
    path,
    headers: dialHeaders(target, dialect, headers),
    body,
    limitMs: dependencies.firstByteMs,
    signal,
  });
  if (answer.status !== 404 && answer.status !== 405) return passedAnswer(target, answer);
  dropAnswer(answer);
  return undefined;
}

async function estimate(
  source: CountSource,
  { principal }: CallerKey,
  bytes: Buffer,
): Promise<PassedAnswer> {
  const length = await textLength(source, principal.accountId, parseBody(bytes));
  const count = { object: "response.input_tokens", input_tokens: estimatedTokens(length) };
  const body = Buffer.from(JSON.stringify(count));
  return { status: 200, contentType: "application/json; charset=utf-8", body };
}

/** Code points of the instructions and of all items, those included that are kept here. */
async function textLength(
  source: CountSource,
  accountId: string,
  body: JsonObject,
): Promise<number> {
  const { input = null, instructions } = body;
  if (input !== null && typeof input !== "string" && !Array.isArray(input)) {
    throw invalidRequest("input", "`input` must be a text or a list of items.");
  }
  const references = keptReferences(body);
  const kept = references && (await loadKept(source, accountId, references));
  const previous = kept?.previous ?? (await turnItems(source, accountId, references?.previousId));
  return promptTextLength({ instructions, input: [...previous, ...ownItems(body, kept)] });
}

/** What was said up to and with an agent's turn. Throws 400 for an id that is none of the account's. */
async function turnItems(
  { threads }: CountSource,
  accountId: string,
  id: string | undefined,
): Promise<readonly JsonObject[]> {
  if (id === undefined) return [];
  const thread = await threads.ofTurn(accountId, id);
  if (thread === undefined) throw missingResponse(id);
  return (await threads.conversation(thread, id)).items;
}
