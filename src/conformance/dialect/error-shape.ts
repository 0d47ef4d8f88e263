import { objectOrEmpty } from "../grammar/fields.ts";
import type { DialectConformanceViolations } from "./conformance-dialect.ts";

/** Errors of chat and responses: the official client reads `error.message`, `type`, `param`, `code`. */
export function checkOpenAiErrorShape(body: unknown): DialectConformanceViolations {
  const { error } = objectOrEmpty(body);
  const { message, type, param, code } = objectOrEmpty(error);
  const faults: string[] = [];
  if (typeof error !== "object" || error === null) return ["The body has no object `error`."];
  if (typeof message !== "string" || message === "") faults.push("`error.message` is missing.");
  if (typeof type !== "string") faults.push("`error.type` is missing.");
  if (!isWordOrNull(param)) faults.push("`error.param` is neither a text nor null.");
  if (!isWordOrNull(code)) faults.push("`error.code` is neither a text nor null.");
  return faults;
}

/** Errors of messages: `{"type": "error", "error": {"type", "message"}}`. */
export function checkMessagesErrorShape(body: unknown): DialectConformanceViolations {
  const { type, error } = objectOrEmpty(body);
  const said = objectOrEmpty(error);
  const faults: string[] = [];
  if (type !== "error") faults.push("`type` of the body is not `error`.");
  if (typeof said["type"] !== "string") faults.push("`error.type` is missing.");
  if (typeof said["message"] !== "string" || said["message"] === "") {
    faults.push("`error.message` is missing.");
  }
  return faults;
}

function isWordOrNull(value: unknown): boolean {
  return typeof value === "string" || value === null;
}
