import type { JsonObject } from "../json.ts";
import { exceedsMaxJsonDepth } from "../nesting-limit.ts";
import { parseLosslessJson } from "../parse-exact.ts";
import { hasTooManyUpstreamJsonValues } from "../value-limit.ts";
import type { Citation } from "../neutral-event.ts";
import type { ClientToolKind } from "../neutral-request.ts";
import { encodeResponsesLogprobs } from "./logprobs.ts";

/** Status of an output item. */
export type ResponsesOutputItemStatus = "in_progress" | "completed" | "incomplete";

/** A text or refusal of a message item, as far as it has come. */
export interface ResponsesMessageContentDraft {
  readonly type: "text" | "refusal";
  readonly text: string;
  readonly logprobs: readonly unknown[];
  readonly citations: readonly Citation[];
}

/** A call as far as it has come. */
export interface ResponsesToolCallDraft {
  readonly kind: ClientToolKind;
  readonly callId: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly arguments: string;
}

export function buildResponsesMessageItem(
  id: string,
  status: ResponsesOutputItemStatus,
  content: readonly JsonObject[],
) {
  return { id, type: "message", status, role: "assistant", content } as const;
}

export function buildResponsesOutputContentPart(draft: ResponsesMessageContentDraft): JsonObject {
  if (draft.type === "refusal") return { type: "refusal", refusal: draft.text };
  return {
    type: "output_text",
    annotations: draft.citations.map((citation) => encodeResponsesAnnotation(citation, draft.text)),
    logprobs: encodeResponsesLogprobs(draft.logprobs),
    text: draft.text,
  };
}

/** A citation whose place is not known stands for the whole text of its part. */
export function encodeResponsesAnnotation(citation: Citation, text: string): JsonObject {
  return {
    type: "url_citation",
    start_index: citation.start ?? 0,
    end_index: citation.end ?? text.length,
    url: citation.url,
    title: citation.title,
  };
}

/** `call_id` pairs the call with its output, `id` names the item: they are never the same. */
export function buildResponsesToolCallItem(
  id: string,
  status: ResponsesOutputItemStatus,
  draft: ResponsesToolCallDraft,
): JsonObject {
  const { callId, name, namespace } = draft;
  if (draft.kind === "search")
    return { id, ...buildResponsesToolSearchCall(callId, draft.arguments, status) };
  const place = namespace === undefined ? {} : { namespace };
  const head = draft.kind === "custom" ? "custom_tool_call" : "function_call";
  const said =
    draft.kind === "custom" ? { input: draft.arguments } : { arguments: draft.arguments };
  return { id, type: head, status, ...said, call_id: callId, name, ...place };
}

/** A call of the caller's own search; its arguments are no text, unless they were cut or are more values than are parsed. */
export function buildResponsesToolSearchCall(
  call_id: string,
  text: string,
  status: ResponsesOutputItemStatus,
): JsonObject {
  const type = "tool_search_call";
  return { type, status, execution: "client", call_id, arguments: parse(text) };
}

function parse(text: string): unknown {
  if (hasTooManyUpstreamJsonValues(text) || exceedsMaxJsonDepth(text)) return text;
  try {
    return parseLosslessJson(text === "" ? "{}" : text);
  } catch {
    return text;
  }
}

/** `encryptedContent` undefined: the caller did not ask for it, or nothing was sealed. */
export function buildResponsesReasoningItem(
  id: string,
  status: ResponsesOutputItemStatus,
  texts: readonly string[],
  encryptedContent: string | undefined,
): JsonObject {
  const sealed = encryptedContent === undefined ? {} : { encrypted_content: encryptedContent };
  return {
    id,
    type: "reasoning",
    status,
    summary: texts.map(buildResponsesSummaryPart),
    ...sealed,
  };
}

/** `text`: the sealed summary. */
export function buildResponsesCompactionItem(id: string, text: string): JsonObject {
  return { id, type: "compaction", encrypted_content: text };
}

export function buildResponsesSummaryPart(text: string) {
  return { type: "summary_text", text } as const;
}
