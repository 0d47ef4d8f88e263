import { ApiError, invalidRequestError, type DialectErrorCode } from "../platform/errors.ts";
import { recordToMap } from "../platform/lookup-table.ts";
import { arrayElementPath, jsonMemberPath } from "./body-reader.ts";
import { asArrayOrEmpty, asObject } from "./json.ts";
import type { ConversionWarningCollector } from "./conversion-warning.ts";
import type { ExtraField, NeutralRequest } from "./neutral-request.ts";

/**
 * Top-level fields by which a vendor goes on from a conversation that it keeps, or
 * puts something else in its place (docs/translation-reference.md). Another vendor does
 * not have it, and the answer would be one without its history.
 */
const historyFields = recordToMap<(path: string, message: string) => ApiError>({
  thread: threadUnsupportedError,
  compaction: invalidRequestError,
  conversation: invalidRequestError,
  previous_response_id: invalidRequestError,
  prompt: invalidRequestError,
  container: invalidRequestError,
});

/**
 * The turn without the fields that are about its history. Throws 400 with the
 * `param` for those that continue or replace it. Edits that would clear something
 * from it are lost, for the upstream gets it whole.
 */
export function dropConversationStateFields(
  turn: NeutralRequest,
  ledger: ConversionWarningCollector,
): NeutralRequest {
  const edits = turn.extras.find(({ name }) => name === contextField);
  for (const { name, path } of turn.extras) {
    const refuse = historyFields.get(name);
    if (refuse !== undefined) throw refuse(path, adviceFor(path));
  }
  if (edits === undefined) return turn;
  for (const path of clearingEdits(edits)) ledger.drop(path, "unsupported");
  return { ...turn, extras: turn.extras.filter((extra) => extra !== edits) };
}

/**
 * The refusal of a `thread` of messages. Its official runners read the `details`
 * and go on with whole histories.
 */
export function threadUnsupportedError(param: string, message: string): ApiError {
  const code: DialectErrorCode = "thread_unsupported_request";
  const vendorDetails = { error_code: code, unsupported: [param] };
  return new ApiError("invalid_request", message, { param, vendorDetails });
}

function adviceFor(path: string): string {
  return `\`${path}\` is about a history that this upstream does not have. Send the whole conversation.`;
}

const contextField = "context_management";

/** In messages an object with `edits`, in responses the list itself. */
function clearingEdits({ path, value }: ExtraField): readonly string[] {
  const list = Array.isArray(value) ? path : jsonMemberPath(path, "edits");
  const edits = asArrayOrEmpty(Array.isArray(value) ? value : asObject(value)?.["edits"]);
  return edits.flatMap((edit, at) => (keepsEverything(edit) ? [] : [arrayElementPath(list, at)]));
}

/** Claude Code's edit of every request: of the thoughts of earlier turns all are kept. */
function keepsEverything(edit: unknown): boolean {
  const { type, keep } = asObject(edit) ?? {};
  return type === "clear_thinking_20251015" && (asObject(keep)?.["type"] ?? keep) === "all";
}
