import { isLearnableQueryName } from "../name/field-name.ts";
import { inferJsonShape } from "../shape/infer-shape.ts";
import { inferPairsShape } from "../shape/infer-text-shape.ts";
import { emptyInferredShape, createObjectShape, type InferredShape } from "../shape/shape.ts";
import { asJsonObjectElements, isJsonObject, type JsonObject } from "../../platform/json-value.ts";
import { readHarStringOrEmpty } from "./text-member.ts";
import { parseMediaType, type HttpBodyFormat } from "./media-type.ts";

/** The shape of a request's body under its media type; undefined: there was none. */
export function inferHarRequestBodyShape({ postData }: JsonObject): InferredShape | undefined {
  if (!isJsonObject(postData)) return undefined;
  const mediaType = parseMediaType(readHarStringOrEmpty(postData, "mimeType"));
  const text = readHarStringOrEmpty(postData, "text");
  const params = asJsonObjectElements(postData["params"]);
  if (mediaType === undefined || (text === "" && params.length === 0)) return undefined;
  const shape = params.length > 0 ? shapeOfParams(params) : shapeOfBody(text, mediaType);
  return createObjectShape([[mediaType.name, shape]]);
}

/** The shape of an answer's body under its media type, without members when there was none. */
export function inferHarResponseBodyShape({ content }: JsonObject): InferredShape {
  if (!isJsonObject(content)) return createObjectShape([]);
  const mediaType = parseMediaType(readHarStringOrEmpty(content, "mimeType"));
  const text = readHarStringOrEmpty(content, "text");
  const isEmpty = text === "" && !(Number(content["size"]) > 0);
  if (mediaType === undefined || isEmpty) return createObjectShape([]);
  return createObjectShape([[mediaType.name, shapeOfBody(decode(content, text), mediaType)]]);
}

function decode(content: JsonObject, text: string): string {
  return content["encoding"] === "base64" ? Buffer.from(text, "base64").toString("utf8") : text;
}

/** The media type decides how a body is read; one that is not what it says shows nothing. */
function shapeOfBody(text: string, { kind, boundary }: HttpBodyFormat): InferredShape {
  switch (kind) {
    case "json":
      return shapeOfJsonText(text);
    case "form":
      return isForm(text)
        ? inferPairsShape(new URLSearchParams(text), isLearnableQueryName)
        : emptyInferredShape;
    case "multipart":
      return inferPairsShape(partsOf(text, boundary), isLearnableQueryName);
    default:
      return emptyInferredShape;
  }
}

/** Whether every pair has a name: else the text is a value that only says that it is a form. */
function isForm(text: string): boolean {
  return text.split("&").every((pair) => pair.indexOf("=") > 0);
}

function shapeOfJsonText(text: string): InferredShape {
  try {
    return inferJsonShape(JSON.parse(text.replace(/^\uFEFF/, "")));
  } catch {
    return emptyInferredShape;
  }
}

function shapeOfParams(params: readonly JsonObject[]): InferredShape {
  const pairs = params.map(
    (param) => [readHarStringOrEmpty(param, "name"), readHarStringOrEmpty(param, "value")] as const,
  );
  return inferPairsShape(pairs, isLearnableQueryName);
}

const partHeader = /^content-disposition:\s*form-data;/i;
const partName = /\bname="([^"]*)"/i;

/** Names and values of the parts of a form (RFC 7578); a file is a string. */
function* partsOf(text: string, boundary: string): Generator<readonly [string, string]> {
  if (boundary === "") return;
  for (const part of text.split(`--${boundary}`)) {
    const [head = "", ...rest] = part.split("\r\n\r\n");
    const header = head.split(/[\r\n]+/).find((line) => partHeader.test(line));
    const [, name] = partName.exec(header ?? "") ?? [];
    if (name === undefined) continue;
    yield [name, rest.join("\r\n\r\n").replace(/\r\n$/, "")];
  }
}
