import { createHash } from "node:crypto";
import { asString, type JsonObject } from "../../dialect/json.ts";
import type { ThreadConversation } from "../../domain/agent-thread.ts";
import type {
  CallerToolReplyKind,
  DurableTurnService,
  CallerToolReply,
  TurnView,
  ConsumedCallerToolReply,
} from "../../domain/durable-turn.ts";
import type { MemoryAndAbortContext } from "../../platform/database/counted-loader.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { classifyConversationItemOrigin, type NormalizedAgentRequest } from "./agent-request.ts";
import type { BusyThread, ThreadResumePoint } from "./locate-thread.ts";
import { findToolResultPath, readToolOutputCallId } from "./reject-unknown-results.ts";

/** Approvals and results that a call brings, against those that earlier calls brought. */
export interface ResolvedCallerToolReplies {
  /** The turn that the same answers have begun; undefined: the call begins one. */
  readonly begun: TurnStartedBySameToolReplies | undefined;
  /** Items that the call adds, without approvals that were decided before. */
  readonly added: readonly JsonObject[];
  /** Answers that its turn begins with. */
  readonly answers: readonly CallerToolReply[];
  /** What was decided before, by the id of the approval request. */
  readonly decided: ReadonlyMap<string, CallerToolReplyKind>;
}

/** A turn that an earlier call has begun. */
export interface TurnStartedBySameToolReplies {
  readonly id: string;
  readonly seen: TurnView;
}

/** A call whose answers are read. */
export interface CallerToolRepliesInput {
  readonly accountId: string;
  /** `previous_response_id`. */
  readonly previousId: string | undefined;
  readonly place: ThreadResumePoint | BusyThread;
  readonly request: Pick<NormalizedAgentRequest, "newItems" | "neutralRequest">;
  /** How earlier turns are loaded. */
  readonly load: MemoryAndAbortContext;
}

/** Approvals that one call gives. A turn asks for fewer. */
const maxApprovals = 1000;

type Turns = Pick<DurableTurnService, "answered" | "find">;

/**
 * Reads the answers that a call gives. An answer begins one turn, however often it is sent:
 * a call that brings nothing else belongs to that turn. Throws 400 with the item as `param`
 * for another decision on an approval that was decided, for one whose turn was deleted, and
 * for more than 1000 approvals.
 */
export async function resolveCallerToolReplies(
  turns: Turns,
  call: CallerToolRepliesInput,
): Promise<ResolvedCallerToolReplies> {
  const items = call.request.newItems.filter(isApprovalResponse);
  rejectTooManyApprovals(items, call.request);
  const approvals = items.flatMap((item) => approvalIn(item) ?? []);
  for (const approval of approvals) assertDecision(approval, call.request);
  return approvals.length === 0 ? readResults(turns, call) : readApprovals(turns, call, approvals);
}

/** A conversation in which a decided approval that is still open has an output: nothing is called for it again. */
export function addDecidedApprovalOutputs(
  conversation: ThreadConversation,
  decided: ResolvedCallerToolReplies["decided"],
): readonly JsonObject[] {
  const { items, openApprovals } = conversation;
  const outputs = items.flatMap(({ type, id, call_id }) => {
    const verdict = type === "mcp_approval_request" ? decided.get(String(id)) : undefined;
    if (verdict === undefined || !openApprovals.has(String(id))) return [];
    return [{ type: "function_call_output", call_id, output: decidedElsewhere(verdict) }];
  });
  return outputs.length === 0 ? items : [...items, ...outputs];
}

function decidedElsewhere(verdict: CallerToolReplyKind): string {
  return verdict === "approved"
    ? "The call was approved and made in another turn; its output is not part of this conversation."
    : "The call was not made: its approval was refused.";
}

interface GivenApproval extends CallerToolReply {
  readonly item: JsonObject;
  /** Of the `mcp_approval_request`. */
  readonly id: string;
}

function isApprovalResponse({ type }: JsonObject): boolean {
  return type === "mcp_approval_response";
}

/** They are looked up in the database before it is known which of them the thread waits for. */
function rejectTooManyApprovals(
  items: readonly JsonObject[],
  { neutralRequest }: CallerToolRepliesInput["request"],
): void {
  const [beyond] = items.slice(maxApprovals);
  if (beyond === undefined) return;
  throw invalidRequestError(
    findToolResultPath(neutralRequest, asString(beyond["approval_request_id"]) ?? ""),
    `A call gives at most ${maxApprovals} approvals. Send only those that the thread waits for.`,
  );
}

function approvalIn(item: JsonObject): GivenApproval | undefined {
  const { approve } = item;
  const id = asString(item["approval_request_id"]);
  if (id === undefined) return undefined;
  const verdict = approve === true ? "approved" : "refused";
  return { item, id, asked: digest(["approval", id]), verdict };
}

/** Anything but `true` would refuse for good. */
function assertDecision(
  { item, id }: GivenApproval,
  { neutralRequest }: CallerToolRepliesInput["request"],
): void {
  if (typeof item["approve"] === "boolean") return;
  throw invalidRequestError(
    `${findToolResultPath(neutralRequest, id)}.approve`,
    `The decision on the approval \`${id}\` must be true or false.`,
  );
}

async function readApprovals(
  turns: Turns,
  call: CallerToolRepliesInput,
  approvals: readonly GivenApproval[],
): Promise<ResolvedCallerToolReplies> {
  const { accountId, request } = call;
  const asked = approvals.map((approval) => approval.asked);
  const taken = await turns.answered(accountId, asked);
  const decided = approvals.filter((approval) => taken.has(approval.asked));
  for (const approval of decided) refuseOther(approval, taken.get(approval.asked), call);
  const items = new Set(decided.map(({ item }) => item));
  const added = request.newItems.filter((item) => !items.has(item));
  const begun = await begunBy(turns, call, { last: decided.at(-1), left: added, taken });
  return {
    begun,
    added,
    answers: approvals.filter(({ item }) => !items.has(item)).map(answerOf),
    decided: new Map(decided.map(({ id, verdict }) => [id, verdict])),
  };
}

function answerOf({ asked, verdict }: GivenApproval): CallerToolReply {
  return { asked, verdict };
}

function refuseOther(
  { id, verdict }: GivenApproval,
  taken: ConsumedCallerToolReply | undefined,
  { request }: CallerToolRepliesInput,
): void {
  if (taken === undefined || taken.verdict === verdict) return;
  throw invalidRequestError(
    findToolResultPath(request.neutralRequest, id),
    `The approval \`${id}\` was ${taken.verdict} already, in the turn \`${taken.turnId}\`. It is decided once; ask the model again for another call.`,
  );
}

/** Of a call that repeats decisions: the turn of the last one, if the call brings nothing else. */
async function begunBy(
  turns: Turns,
  { accountId, request, load }: CallerToolRepliesInput,
  { last, left, taken }: RepeatedDecisions,
): Promise<TurnStartedBySameToolReplies | undefined> {
  const turnId = last && taken.get(last.asked)?.turnId;
  if (last === undefined || turnId === undefined) return undefined;
  const seen = await turns.find(accountId, turnId, load);
  if (!left.some(isNews)) {
    if (seen !== undefined) return { id: turnId, seen };
    throw invalidRequestError(
      findToolResultPath(request.neutralRequest, last.id),
      `The approval \`${last.id}\` was ${last.verdict} already, in the turn \`${turnId}\`, which was deleted. Ask the model again for another call.`,
    );
  }
  return seen !== undefined && isSame(seen.input, request.newItems)
    ? { id: turnId, seen }
    : undefined;
}

interface RepeatedDecisions {
  /** Undefined: the call repeats none. */
  readonly last: GivenApproval | undefined;
  /** What the call adds beside them. */
  readonly left: readonly JsonObject[];
  readonly taken: ReadonlyMap<string, ConsumedCallerToolReply>;
}

/** Whether an item is something that a turn is begun with. */
function isNews(item: JsonObject): boolean {
  const kind = classifyConversationItemOrigin(item);
  return kind === "user" || kind === "result";
}

async function readResults(
  turns: Turns,
  call: CallerToolRepliesInput,
): Promise<ResolvedCallerToolReplies> {
  const { newItems: added } = call.request;
  const none = {
    begun: undefined,
    added,
    answers: [],
    decided: new Map<string, CallerToolReplyKind>(),
  };
  if (!added.some((item) => readToolOutputCallId(item) !== undefined)) return none;
  return call.previousId === undefined
    ? { ...none, begun: await lastWithSame(turns, call) }
    : readResultsBehind(turns, call, none, call.previousId);
}

/** A call that names a session: its results are those that the thread's last turn has begun with. */
async function lastWithSame(
  turns: Turns,
  { accountId, place, request: { newItems: added }, load }: CallerToolRepliesInput,
): Promise<TurnStartedBySameToolReplies | undefined> {
  const id = "running" in place ? place.running : lastUnlessAwaited(place.conversation, added);
  const seen = id && (await turns.find(accountId, id, load));
  return seen && isSame(seen.input, added) ? { id, seen } : undefined;
}

/** Undefined as well where a call of that turn has the same id, and waits for its result. */
function lastUnlessAwaited(
  { openToolCalls: openCalls, lastTurn }: ThreadConversation,
  added: readonly JsonObject[],
): string | undefined {
  return added.some((item) => openCalls.has(readToolOutputCallId(item) ?? ""))
    ? undefined
    : lastTurn;
}

/** A call that names the response which it goes on from: else each repetition began a thread. */
async function readResultsBehind(
  turns: Turns,
  { accountId, request: { newItems: added }, load }: CallerToolRepliesInput,
  none: ResolvedCallerToolReplies,
  previousId: string,
): Promise<ResolvedCallerToolReplies> {
  const asked = digest(["results", previousId, JSON.stringify(added)]);
  const turnId = (await turns.answered(accountId, [asked])).get(asked)?.turnId;
  if (turnId === undefined) return { ...none, answers: [{ asked, verdict: "results" }] };
  const seen = await turns.find(accountId, turnId, load);
  // Whoever has deleted that turn may have the answer made again.
  return { ...none, begun: seen && { id: turnId, seen } };
}

function isSame(input: readonly JsonObject[], added: readonly JsonObject[]): boolean {
  return JSON.stringify(input) === JSON.stringify(added);
}

function digest(named: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(named)).digest("hex");
}
