import type { ResponseEncodingContext } from "../../dialect/codec.ts";
import { getDialectCodec } from "../../dialect/codecs.ts";
import {
  asArrayOrEmpty,
  asString,
  asJsonObjectElements,
  type JsonObject,
} from "../../dialect/json.ts";
import {
  ConversionWarningCollector,
  type ConversionWarning,
} from "../../dialect/conversion-warning.ts";
import { unknownModelCapabilities, type ModelCapabilities } from "../../dialect/capabilities.ts";
import { emptyToolNameRestoreInfo, type ToolNameRestoreInfo } from "../../dialect/restore-info.ts";
import type { ReasoningEnvelopeSealer } from "../../dialect/reasoning-envelope.ts";
import { storedItemNotFoundError } from "../../dialect/responses/missing-stored.ts";
import { throwOnFirstConversionWarning } from "../../dialect/transcode-request.ts";
import type { NeutralRequest, NeutralMessage } from "../../dialect/neutral-request.ts";
import { dropConversationStateFields } from "../../dialect/history-fields.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { readItemReferenceId } from "../stored-responses/stored-references.ts";
import {
  readDeclaredMcpServers,
  isMcpServerTool,
  redactMcpServerCredentials,
  type RequestMcpServerEntry,
} from "./declared-servers.ts";
import { selectNewConversationItemIndexes, type ConversationItemOrigin } from "./new-items.ts";

/** A call of any dialect as an agent takes it: in the responses dialect. */
export interface NormalizedAgentRequest {
  /** What the caller asks for beside the conversation: tools but for MCP servers, reasoning, caps and the like. */
  readonly settings: JsonObject;
  /** The same with those servers, as the caller may be told it again. */
  readonly echoed: JsonObject;
  /** MCP servers that it declares. */
  readonly servers: readonly RequestMcpServerEntry[];
  /** The caller's own system text. */
  readonly instructions: string | undefined;
  /** What the call sends of what was said before; empty where its thread has that. */
  readonly history: readonly JsonObject[];
  /** What it adds. */
  readonly newItems: readonly JsonObject[];
  /** The request as it was read, for the answer. */
  readonly neutralRequest: ResponseEncodingContext["request"];
  readonly restoreInfo: ToolNameRestoreInfo;
  readonly warnings: readonly ConversionWarning[];
}

/** How a call is read. */
export interface AgentCallParseContext {
  readonly dialect: DialectId;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The thread has what was said before: earlier messages of the body are of no use. */
  readonly hasTurns: boolean;
  /** All of the input is new, as where a responses caller names the response that it goes on from. */
  readonly isNewHistory: boolean;
  readonly isStrict: boolean;
  /** An item of the account's kept responses. */
  readonly storedItem: (id: string) => JsonObject | undefined;
}

/**
 * Reads a call. Throws 400 with the field as `param` for what its dialect refuses, for what an
 * agent cannot heed, and for one that adds nothing.
 */
export function parseAgentCallRequest(
  body: JsonObject,
  context: AgentCallParseContext,
): NormalizedAgentRequest {
  const ledger = new ConversionWarningCollector();
  const request =
    context.dialect === "dialect_responses"
      ? readItems(body, context, ledger)
      : readMessages(body, context, ledger);
  if (context.isStrict) throwOnFirstConversionWarning(ledger);
  return { ...request, warnings: ledger.warnings };
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
const noEnvelope: ReasoningEnvelopeSealer = { seal: () => "", open: () => undefined };

/** Whatever a caller asks for is kept, for the upstream is not known yet. */
const anyUpstream: ModelCapabilities = {
  ...unknownModelCapabilities,
  highestEffort: "max",
  topK: true,
};

type Read = Omit<NormalizedAgentRequest, "warnings">;

/** A caller of chat or messages: the part that counts is written as items. */
function readMessages(
  body: JsonObject,
  context: AgentCallParseContext,
  warnings: ConversionWarningCollector,
): Read {
  const { dialect, headers, hasTurns } = context;
  const decoded = getDialectCodec(dialect).decodeRequest(body, {
    warnings,
    envelope: noEnvelope,
    headers,
  });
  const turn = dropConversationStateFields(decoded, warnings);
  if (turn.stop !== undefined) {
    throw invalidRequestError(
      turn.stop.path,
      `An agent knows no stop sequences; leave \`${turn.stop.path}\` out.`,
    );
  }
  const own = selectNewConversationItemIndexes(turn.messages.map(kindOfMessage));
  if (own.size === 0) throw nothingNew("messages");
  const part = (isOwn: boolean): readonly NeutralMessage[] =>
    turn.messages.filter((_, place) => own.has(place) === isOwn);
  const written = (messages: readonly NeutralMessage[], warnings: ConversionWarningCollector) =>
    getDialectCodec("dialect_responses").encodeRequest(
      { ...turn, messages },
      { warnings, model: turn.model, capabilities: anyUpstream },
    );
  const added = written(part(true), warnings);
  const earlier = part(false);
  // What is said of the whole request was said already.
  const before =
    hasTurns || earlier.length === 0
      ? undefined
      : written(withoutTrailingAssistant(earlier), new ConversionWarningCollector());
  const settings = settingsOf(added.body);
  return {
    settings,
    echoed: settings,
    servers: [],
    instructions: instructionsOf(turn),
    history: itemsOf(before?.body["input"]),
    newItems: itemsOf(added.body["input"]),
    neutralRequest: turn,
    restoreInfo: added.restoreInfo,
  };
}

/** The dialect of items refuses words that are put into the model's mouth; these were answered. */
function withoutTrailingAssistant(messages: readonly NeutralMessage[]): readonly NeutralMessage[] {
  return messages.at(-1)?.role === "assistant"
    ? [...messages, { path: "messages", role: "tool", parts: [] }]
    : messages;
}

function itemsOf(input: unknown): readonly JsonObject[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return asJsonObjectElements(input);
}

function kindOfMessage({ role }: NeutralMessage): ConversationItemOrigin {
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
function readItems(
  body: JsonObject,
  context: AgentCallParseContext,
  warnings: ConversionWarningCollector,
): Read {
  const { headers, hasTurns, isNewHistory: isAllNew } = context;
  const items = itemsOf(body["input"]).map(typedItem);
  const find = (id: string) => context.storedItem(id) ?? placeholder(hasTurns);
  const { previous_response_id: _previous, background: _background, input = [], ...rest } = body;
  const turn = getDialectCodec("dialect_responses").decodeRequest(
    { ...rest, input },
    { warnings, envelope: noEnvelope, headers, stored: { previous: undefined, find } },
  );
  if (body["store"] === false) warnings.drop("store", "unsupported");
  rejectCompactionTrigger(items);
  rejectAddedTools(items);
  const opening = openingOf(items);
  const kinds = items.slice(opening).map(classifyConversationItemOrigin);
  const own = isAllNew ? new Set(kinds.keys()) : selectNewConversationItemIndexes(kinds);
  if (!kinds.some((kind, place) => own.has(place) && kind !== "system")) throw nothingNew("input");
  const part = (isOwn: boolean): readonly JsonObject[] =>
    items
      .slice(opening)
      .filter((_, place) => own.has(place) === isOwn)
      .map((item) => resolve(item, context));
  return {
    ...settingsAndServers(body, warnings),
    instructions: instructionsOf(turn),
    history: hasTurns ? [] : part(false),
    newItems: part(true),
    neutralRequest: turn,
    restoreInfo: emptyToolNameRestoreInfo,
  };
}

function settingsAndServers(
  body: JsonObject,
  warnings: ConversionWarningCollector,
): Pick<Read, "settings" | "echoed" | "servers"> {
  const settings = settingsOf(body);
  const servers = readDeclaredMcpServers(body, warnings);
  if (servers.length === 0) return { settings, echoed: settings, servers };
  const tools = asArrayOrEmpty(body["tools"]);
  const others = tools.filter((tool) => !isMcpServerTool(tool));
  const told = { ...settings, tools: redactMcpServerCredentials(tools) };
  return { settings: { ...settings, tools: others }, echoed: told, servers };
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

function resolve(item: JsonObject, { storedItem: keptItem }: AgentCallParseContext): JsonObject {
  const id = readItemReferenceId(item);
  if (id === undefined) return item;
  const kept = keptItem(id);
  if (kept === undefined) throw storedItemNotFoundError("input", id);
  return kept;
}

/** How many items at the beginning are the caller's system text, which stands with its instructions. */
function openingOf(items: readonly JsonObject[]): number {
  const first = items.findIndex((item) => classifyConversationItemOrigin(item) !== "system");
  return first === -1 ? items.length : first;
}

/** What an item of the responses dialect is to the call that brings it. */
export function classifyConversationItemOrigin({ type, role }: JsonObject): ConversationItemOrigin {
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

function rejectCompactionTrigger(items: readonly JsonObject[]): void {
  const place = items.findIndex(({ type }) => type === "compaction_trigger");
  if (place === -1) return;
  throw invalidRequestError(
    `input[${place}]`,
    "The thread of an agent is not compacted; leave the item out, or compact with an ordinary model.",
  );
}

/** An item stands in the thread, where the headers of a server have no place. */
function rejectAddedTools(items: readonly JsonObject[]): void {
  for (const [place, { tools }] of items.entries()) {
    const at = asArrayOrEmpty(tools).findIndex(isMcpServerTool);
    if (at === -1) continue;
    throw invalidRequestError(
      `input[${place}].tools[${at}]`,
      "An item cannot bring an MCP server along: declare it in `tools`.",
    );
  }
}

function instructionsOf({ system }: NeutralRequest): string | undefined {
  const texts = system.map(({ text }) => text).filter((text) => text !== "");
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

function nothingNew(param: string): Error {
  return invalidRequestError(
    param,
    `The last of \`${param}\` must be a message of the user, or results of calls: an agent cannot go on from its own words.`,
  );
}
