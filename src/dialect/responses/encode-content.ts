import { withoutUndefined } from "../json.ts";
import { opaquePartToText } from "../opaque-text.ts";
import type {
  FilePart,
  ImagePart,
  MediaSource,
  NeutralPart,
  SearchResultPart,
  TextPart,
} from "../neutral-request.ts";
import type { ResponsesWireObject } from "./wire.ts";
import {
  encodeResponsesCacheBreakpoint,
  type ResponsesRequestEncodingContext,
} from "./encoding-context.ts";

/** Parts of a user's message or of a call's output. */
export function encodeResponsesInputPart(
  part: NeutralPart,
  writing: ResponsesRequestEncodingContext,
): readonly ResponsesWireObject[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [
        {
          ...buildResponsesInputTextPart(part.text),
          ...encodeResponsesCacheBreakpoint(part.cache, writing),
        },
      ];
    case "image":
      return [encodeImage(part, writing)];
    case "file":
      return [encodeFile(part, writing)];
    case "search-result":
      writing.warnings.approximate(part.path, "wrapped");
      return [
        {
          ...buildResponsesInputTextPart(searchText(part)),
          ...encodeResponsesCacheBreakpoint(part.cache, writing),
        },
      ];
    case "opaque":
      return part.dialect === "dialect_responses"
        ? [part.raw]
        : [
            {
              ...buildResponsesInputTextPart(opaquePartToText(part, writing.warnings)),
              ...encodeResponsesCacheBreakpoint(part.cache, writing),
            },
          ];
    default:
      return writing.warnings.reject(part.path, "This part cannot stand here.");
  }
}

export function buildResponsesInputTextPart(text: string): ResponsesWireObject {
  return { type: "input_text", text };
}

/** The answer's own text; citations that are not of this dialect are left out. */
export function encodeResponsesOutputText(
  part: TextPart,
  { request: turn, warnings: ledger }: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  const { citations = [], text } = part;
  const isOwn = turn.origin === "dialect_responses";
  if (!isOwn && citations.length > 0) ledger.drop(`${part.path}.citations`, "unsupported");
  return { type: "output_text", text, annotations: isOwn ? citations : [] };
}

/** Title, where it comes from, and what it says. */
function searchText({ title, source, texts }: SearchResultPart): string {
  return [title, source, ...texts].filter((line) => line !== "").join("\n");
}

function encodeImage(
  part: ImagePart,
  writing: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  const image = {
    type: "input_image",
    ...imageSource(part, writing),
    detail: part.detail ?? "auto",
  };
  return { ...image, ...encodeResponsesCacheBreakpoint(part.cache, writing) };
}

function imageSource(
  part: ImagePart,
  writing: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  const { source } = part;
  if (source.kind === "file") return { file_id: fileId(part, source.id, writing) };
  return { image_url: source.kind === "url" ? source.url : dataUrl(source) };
}

function encodeFile(part: FilePart, writing: ResponsesRequestEncodingContext): ResponsesWireObject {
  const { warnings: ledger } = writing;
  if (part.citationsEnabled === true) ledger.drop(`${part.path}.citations`, "unsupported");
  const { source } = part;
  const cache = encodeResponsesCacheBreakpoint(part.cache, writing);
  if (source.kind === "text") return { ...encodeWords(part, source.text, writing), ...cache };
  if (part.context !== undefined) ledger.drop(`${part.path}.context`, "unsupported");
  return {
    ...withoutUndefined({ type: "input_file", ...fileSource(part, source, writing) }),
    ...cache,
  };
}

/** A document of plain text, its title first; its own dialect has it back as the file it was. */
function encodeWords(
  part: FilePart,
  text: string,
  { request: turn, warnings: ledger }: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  if (turn.origin === "dialect_responses") {
    const base64 = Buffer.from(text).toString("base64");
    const file_data = dataUrl({ mediaType: "text/plain", base64 });
    return withoutUndefined({ type: "input_file", filename: part.name, file_data });
  }
  ledger.approximate(part.path, "wrapped");
  return buildResponsesInputTextPart([part.name, part.context, text].filter(Boolean).join("\n"));
}

function fileSource(
  part: FilePart,
  source: MediaSource,
  writing: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  const { name: filename } = part;
  switch (source.kind) {
    case "data":
      return { filename: filename ?? "document.pdf", file_data: dataUrl(source) };
    case "url":
      return { filename, file_url: source.url };
    case "file":
      return { filename, file_id: fileId(part, source.id, writing) };
  }
}

/** Chat and responses have one store of files; another vendor's is not theirs. */
function fileId(
  part: ImagePart | FilePart,
  id: string,
  { request: turn, warnings: ledger }: ResponsesRequestEncodingContext,
): string {
  return turn.origin === "dialect_messages"
    ? ledger.reject(
        part.sourcePath ?? part.path,
        "This upstream does not hold that file. Send the file itself.",
      )
    : id;
}

function dataUrl({ mediaType, base64 }: { mediaType: string; base64: string }): string {
  return `data:${mediaType};base64,${base64}`;
}
