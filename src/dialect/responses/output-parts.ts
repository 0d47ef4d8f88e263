import { MalformedResponseError } from "../codec.ts";
import { asArrayOrEmpty, asNumber, asObject, asString, type JsonObject } from "../json.ts";
import type { NeutralResponsePart } from "../neutral-response.ts";
import type { Citation, NeutralPartHead } from "../neutral-event.ts";
import type { EncryptedReasoning } from "../neutral-request.ts";

type CallHead = Extract<NeutralPartHead, { type: "tool-call" }>;

/** The parts of an output item of an upstream; none for items of the vendor's own tools. */
export function decodeResponsesOutputItem(value: unknown): readonly NeutralResponsePart[] {
  const item = asObject(value);
  switch (item?.["type"]) {
    case "message":
      return asArrayOrEmpty(item["content"]).flatMap(decodeResponsesOutputContent);
    case "function_call":
    case "custom_tool_call":
      return callParts(item);
    case "reasoning":
      return [
        {
          type: "reasoning",
          texts: readResponsesReasoningTexts(item),
          encrypted: readResponsesEncryptedReasoning(item),
        },
      ];
    default:
      return [];
  }
}

/** Text or refusal of a message. */
export function decodeResponsesOutputContent(value: unknown): readonly NeutralResponsePart[] {
  const part = asObject(value);
  if (part?.["type"] === "refusal") {
    const text = asString(part["refusal"]) ?? "";
    return [{ type: "refusal", text, logprobs: [], citations: [] }];
  }
  if (part?.["type"] !== "output_text") return [];
  return [
    {
      type: "text",
      text: asString(part["text"]) ?? "",
      logprobs: asArrayOrEmpty(part["logprobs"]),
      citations: asArrayOrEmpty(part["annotations"]).flatMap(decodeResponsesAnnotation),
    },
  ];
}

/** What is known of a call; undefined while its name is missing. */
export function decodeResponsesToolCallHead(item: JsonObject): CallHead | undefined {
  const name = asString(item["name"]) ?? "";
  const id = asString(item["call_id"]) ?? asString(item["id"]) ?? "";
  if (name === "") return undefined;
  const kind = item["type"] === "custom_tool_call" ? "custom" : "function";
  return { type: "tool-call", kind, id, name, namespace: asString(item["namespace"]) };
}

/** Nobody can answer a call of no tool. */
export function missingToolCallNameError(): MalformedResponseError {
  return new MalformedResponseError("sent a call without a name");
}

/** Arguments or free text of a call. */
export function readResponsesToolCallArguments(item: JsonObject): string {
  return asString(item[item["type"] === "custom_tool_call" ? "input" : "arguments"]) ?? "";
}

function callParts(item: JsonObject): readonly NeutralResponsePart[] {
  const head = decodeResponsesToolCallHead(item);
  if (head === undefined) throw missingToolCallNameError();
  return [{ ...head, namespace: head.namespace, arguments: readResponsesToolCallArguments(item) }];
}

/** Open models tell their thoughts in `content`, the vendor a summary. */
export function readResponsesReasoningTexts(item: JsonObject): readonly string[] {
  return [...asArrayOrEmpty(item["content"]), ...asArrayOrEmpty(item["summary"])].flatMap(
    (value) => {
      const text = asString(asObject(value)?.["text"]);
      return text === undefined ? [] : [text];
    },
  );
}

/** What the vendor wants back of its thoughts; `id` and content belong together. */
export function readResponsesEncryptedReasoning(item: JsonObject): EncryptedReasoning | undefined {
  const encryptedContent = asString(item["encrypted_content"]);
  if (encryptedContent === undefined || encryptedContent === "") return undefined;
  const id = asString(item["id"]) ?? "";
  return { dialect: "dialect_responses", kind: "encrypted", id, encryptedContent };
}

/** Only addresses can be cited in every dialect; files of the vendor are left out. */
export function decodeResponsesAnnotation(value: unknown): readonly Citation[] {
  const annotation = asObject(value);
  const url = asString(annotation?.["url"]);
  if (annotation?.["type"] !== "url_citation" || url === undefined) return [];
  return [
    {
      url,
      title: asString(annotation["title"]) ?? "",
      citedText: undefined,
      start: asNumber(annotation["start_index"]),
      end: asNumber(annotation["end_index"]),
    },
  ];
}
