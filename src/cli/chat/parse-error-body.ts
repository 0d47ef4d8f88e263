import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { notCausewayServerError, serverReportedError, type CliError } from "../cli-error.ts";
import { readBodyBytesOrThrow } from "../../platform/read-body-bytes.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";

/** More than any error says. */
const maxRefusalBytes = 1024 * 1024;

/**
 * What an answer without success says, in its dialect's error object or in the flat one
 * of the other routes. An upstream's own words are passed on, so that any member may be
 * missing. `place` and `variable`: as for `requestErrorToCliError`.
 */
export async function errorResponseToCliError(
  answer: Response,
  place: string,
  variable: string,
): Promise<CliError> {
  const text = await readBodyBytesOrThrow(answer.body, maxRefusalBytes).catch(() => "");
  const body = objectIn(text.toString());
  const error = isProtobufJsonObject(body["error"]) ? body["error"] : body;
  const message = readStringMemberOrEmpty(error, "message");
  if (message === "")
    return notCausewayServerError(place, `HTTP ${answer.status.toString()}`, variable);
  return errorObjectToCliError(error, message, answer.status.toString());
}

/** The error that a response ended with, or a stream. */
export function errorObjectToCliError(
  error: JsonObject,
  message: string,
  otherCode: string,
): CliError {
  const code =
    readStringMemberOrEmpty(error, "error") ||
    readStringMemberOrEmpty(error, "code") ||
    readStringMemberOrEmpty(error, "type");
  const { suggestions } = error;
  return serverReportedError({
    code: code || otherCode,
    param: readStringMemberOrEmpty(error, "param"),
    message,
    suggestions: Array.isArray(suggestions) ? suggestions.filter(isText) : [],
    docUrl: readStringMemberOrEmpty(error, "doc_url"),
  });
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string";
}

function objectIn(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isProtobufJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
