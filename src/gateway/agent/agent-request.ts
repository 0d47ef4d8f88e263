import type { AnswerContext } from "../../dialect/codec.ts";
import { codecOf } from "../../dialect/codecs.ts";
import { asArray, asString, objectsIn, type JsonObject } from "../../dialect/json.ts";
import { LossLedger, type Loss } from "../../dialect/loss.ts";
import { unknownUpstream, type Capabilities } from "../../dialect/capabilities.ts";
import { nothingToRecall, type Recall } from "../../dialect/recall.ts";
import type { ReasoningEnvelope } from "../../dialect/reasoning-envelope.ts";
import { missingItem } from "../../dialect/responses/missing-kept.ts";
import { refuseLosses } from "../../dialect/transcode-request.ts";
import type { Turn, TurnMessage } from "../../dialect/turn.ts";
import type { Dialect } from "../../platform/configuration/configuration.ts";
import { invalidRequest } from "../../platform/errors.ts";
import { referredId } from "../response/kept-references.ts";
import { declaredServers, isServer, toldTools, type DeclaredServer } from "./hosted-servers.ts";
import { ownPart, type SaidKind } from "./own-part.ts";

/** A call of any dialect as an agent takes it: in the responses dialect. */
export interface AgentRequest {
  /** What the caller asks for beside the conversation: tools but for MCP servers, reasoning, caps and the like. */
  readonly settings: JsonObject;
  /** The same with those servers, as the caller may be told it again. */
  readonly told: JsonObject;
  /** MCP servers that it declares. */
  readonly servers: readonly DeclaredServer[];
  /** The caller's own system text. */
  readonly instructions: string | undefined;
  /** What the call sends of what was said before; empty where its thread has that. */
  readonly earlier: readonly JsonObject[];
  /** What it adds. */
  readonly added: readonly JsonObject[];
  /** The request as it was read, for the answer. */
  readonly turn: AnswerContext["turn"];
  readonly recall: Recall;
  readonly losses: readonly Loss[];
}

/** How a call is read. */
export interface ReadingContext {
  readonly dialect: Dialect;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The thread has what was said before: earlier messages of the body are of no use. */
  readonly hasTurns: boolean;
  /** All of the input is new, as where a responses caller names the response that it goes on from. */
  readonly isAllNew: boolean;
  readonly isStrict: boolean;
  /** An item of the account's kept responses. */
  readonly keptItem: (id: string) => JsonObject | undefined;
}

/**
 * Reads a call. Throws 400 with the field as `param` for what its dialect refuses, for what an
 * agent cannot heed, and for one that adds nothing.
 */
export function readAgentRequest(body: JsonObject, context: ReadingContext): AgentRequest {
  const ledger = new LossLedger();
  const request =
    context.dialect === "dialect_responses"
      ? readItems(body, context, ledger)
      : readMessages(body, context, ledger);
  if (context.isStrict) refuseLosses(ledger);
  return { ...request, losses: ledger.losses };
}

/** What a thread is asked over is the lane's own; what is kept of it is not for its caller to say. */
const laneMembers: ReadonlySet<string> = new Set([
  "model",
  "input",
  "instructions",
  "stream",
  "stream_options",
  "store",
  "background",
  "previous_response_id",
]);

function settingsOf(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !laneMembers.has(name)));
}

/** Nothing that was sealed elsewhere can be opened here: the thread has what its models thought. */
const noEnvelope: ReasoningEnvelope = { seal: () => "", open: () => undefined };

/** Whatever a caller asks for is kept, for the upstream is not known yet. */
const anyUpstream: Capabilities = { ...unknownUpstream, highestEffort: "max", topK: true };

type Read = Omit<AgentRequest, "losses">;

/** A caller of chat or messages: the part that counts is written as items. */
function readMessages(body: JsonObject, context: ReadingContext, ledger: LossLedger): Read {
  const { dialect, headers, hasTurns } = context;
  const turn = codecOf(dialect).decodeRequest(body, { ledger, envelope: noEnvelope, headers });
  if (turn.stop !== undefined) {
    throw invalidRequest(
      turn.stop.path,
      `An agent knows no stop sequences; leave \`${turn.stop.path}\` out.`,
    );
  }
  const own = ownPart(turn.messages.map(kindOfMessage));
  if (own.size === 0) throw nothingNew("messages");
  const part = (isOwn: boolean): readonly TurnMessage[] =>
    turn.messages.filter((_, place) => own.has(place) === isOwn);
  const written = (messages: readonly TurnMessage[], losses: LossLedger) =>
    codecOf("dialect_responses").encodeRequest(
      { ...turn, messages },
      { ledger: losses, model: turn.model, capabilities: anyUpstream },
    );
  const added = written(part(true), ledger);
  const earlier = part(false);
  // What is said of the whole request was said already.
  const before =
    hasTurns || earlier.length === 0 ? undefined : written(endingWell(earlier), new LossLedger());
  const settings = settingsOf(added.body);
  return {
    settings,
    told: settings,
    servers: [],
    instructions: instructionsOf(turn),
    earlier: itemsOf(before?.body["input"]),
    added: itemsOf(added.body["input"]),
    turn,
    recall: added.recall,
  };
}

/** The dialect of items refuses words that are put into the model's mouth; these were answered. */
function endingWell(messages: readonly TurnMessage[]): readonly TurnMessage[] {
  return messages.at(-1)?.role === "assistant"
    ? [...messages, { path: "messages", role: "tool", parts: [] }]
    : messages;
}

function itemsOf(input: unknown): readonly JsonObject[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return objectsIn(input);
}

function kindOfMessage({ role }: TurnMessage): SaidKind {
  switch (role) {
    case "assistant":
      return "model";
    case "tool":
      return "result";
    default:
      return role;
  }
}

/** A caller of responses: its items stay as they are. */
function readItems(body: JsonObject, context: ReadingContext, ledger: LossLedger): Read {
  const { headers, hasTurns, isAllNew } = context;
  const items = itemsOf(body["input"]).map(typedItem);
  const find = (id: string) => context.keptItem(id) ?? placeholder(hasTurns);
  const { previous_response_id: _previous, background: _background, input = [], ...rest } = body;
  const turn = codecOf("dialect_responses").decodeRequest(
    { ...rest, input },
    { ledger, envelope: noEnvelope, headers, kept: { previous: undefined, find } },
  );
  if (body["store"] === false) ledger.drop("store", "unsupported");
  refuseTrigger(items);
  refuseBrought(items);
  const opening = openingOf(items);
  const kinds = items.slice(opening).map(kindOfItem);
  const own = isAllNew ? new Set(kinds.keys()) : ownPart(kinds);
  if (!kinds.some((kind, place) => own.has(place) && kind !== "system")) throw nothingNew("input");
  const part = (isOwn: boolean): readonly JsonObject[] =>
    items
      .slice(opening)
      .filter((_, place) => own.has(place) === isOwn)
      .map((item) => resolve(item, context));
  return {
    ...settingsAndServers(body, ledger),
    instructions: instructionsOf(turn),
    earlier: hasTurns ? [] : part(false),
    added: part(true),
    turn,
    recall: nothingToRecall,
  };
}

function settingsAndServers(
  body: JsonObject,
  ledger: LossLedger,
): Pick<Read, "settings" | "told" | "servers"> {
  const settings = settingsOf(body);
  const servers = declaredServers(body, ledger);
  if (servers.length === 0) return { settings, told: settings, servers };
  const tools = asArray(body["tools"]);
  const others = tools.filter((tool) => !isServer(tool));
  const told = { ...settings, tools: toldTools(tools) };
  return { settings: { ...settings, tools: others }, told, servers };
}

/** A thread that has its turns needs no earlier item: what it refers to need not be known. */
function placeholder(hasTurns: boolean): JsonObject | undefined {
  return hasTurns ? { type: "message", role: "assistant", content: "" } : undefined;
}

/** A message may leave its type out. */
function typedItem(item: JsonObject): JsonObject {
  return item["type"] === undefined && item["role"] !== undefined
    ? { type: "message", ...item }
    : item;
}

function resolve(item: JsonObject, { keptItem }: ReadingContext): JsonObject {
  const id = referredId(item);
  if (id === undefined) return item;
  const kept = keptItem(id);
  if (kept === undefined) throw missingItem("input", id);
  return kept;
}

/** How many items at the beginning are the caller's system text, which stands with its instructions. */
function openingOf(items: readonly JsonObject[]): number {
  const first = items.findIndex((item) => kindOfItem(item) !== "system");
  return first === -1 ? items.length : first;
}

/** What an item of the responses dialect is to the call that brings it. */
export function kindOfItem({ type, role }: JsonObject): SaidKind {
  const name = asString(type) ?? "";
  if (name === "message") {
    if (role === "user") return "user";
    return role === "assistant" ? "model" : "system";
  }
  if (steering.has(name)) return "system";
  return name.endsWith("_output") || name === "mcp_approval_response" ? "result" : "model";
}

/** Items that say how to answer, and nothing of what is talked about. */
const steering: ReadonlySet<string> = new Set(["additional_tools", "configuration_update"]);

function refuseTrigger(items: readonly JsonObject[]): void {
  const place = items.findIndex(({ type }) => type === "compaction_trigger");
  if (place === -1) return;
  throw invalidRequest(
    `input[${place}]`,
    "The thread of an agent is not compacted; leave the item out, or compact with an ordinary model.",
  );
}

/** An item stands in the thread, where the headers of a server have no place. */
function refuseBrought(items: readonly JsonObject[]): void {
  for (const [place, { tools }] of items.entries()) {
    const at = asArray(tools).findIndex(isServer);
    if (at === -1) continue;
    throw invalidRequest(
      `input[${place}].tools[${at}]`,
      "An item cannot bring an MCP server along: declare it in `tools`.",
    );
  }
}

function instructionsOf({ system }: Turn): string | undefined {
  const texts = system.map(({ text }) => text).filter((text) => text !== "");
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

function nothingNew(param: string): Error {
  return invalidRequest(
    param,
    `The last of \`${param}\` must be a message of the user, or results of calls: an agent cannot go on from its own words.`,
  );
}
