import { RequestFieldReader, arrayElementPath } from "../../dialect/body-reader.ts";
import { threadUnsupportedError } from "../../dialect/history-fields.ts";
import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import { rejectResponsesVendorStateReferences as refuseResponseState } from "../../dialect/responses/vendor-state.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { invalidRequestError } from "../../platform/errors.ts";

/** Members by which a caller goes on from what the vendor keeps, or has it keep the answer. */
const statefulMembers: Readonly<Record<DialectId, readonly string[]>> = {
  dialect_chat: ["deferred"],
  dialect_responses: [],
  dialect_messages: ["container", "thread", "diagnostics"],
};

/** Tools of a vendor that work on files and containers which it keeps. */
const statefulTool =
  /^(?:file_search|collections_search|document_library|retrieval|code_interpreter|code_execution)/;

/** What in the definition of a tool names something of the credential's owner. */
const statefulSettings = [
  "vector_store_ids",
  "container",
  "container_id",
  "file_ids",
  "input_image_mask",
  "connector_id",
  "tunnel_id",
];

/**
 * Throws 400 for what would open, or leave behind, something at the vendor under
 * the operator's credential (docs/pricing.md, Nothing is left with the vendor).
 * What the gateway serves instead, kept responses and their items, passes.
 */
export function rejectVendorSideState(dialect: DialectId, value: JsonObject): void {
  const body = new RequestFieldReader(value);
  if (dialect === "dialect_responses") refuseResponseState(body);
  for (const name of statefulMembers[dialect]) {
    if (!body.has(name) || value[name] === false) continue;
    throw name === "thread" ? threadUnsupportedError(name, adviceFor(name)) : refusal(name);
  }
  rejectTools(body);
  for (const item of [...elements(body, "messages"), ...elements(body, "input")]) rejectIn(item);
}

/** A message or an item: its parts, the results in it, and the tools that some items bring along. */
function rejectIn(item: RequestFieldReader): void {
  rejectTools(item);
  rejectEnvironment(item);
  // What a chat model said aloud, by the id under which its vendor keeps it.
  if (asObject(item.value["audio"])?.["id"] !== undefined) throw refusal(item.pathOf("audio"));
  for (const part of [...elements(item, "content"), ...elements(item, "output")]) rejectPart(part);
  const output = asObject(item.value["output"]);
  if (output !== undefined) rejectPart(new RequestFieldReader(output, item.pathOf("output")));
}

function rejectPart(part: RequestFieldReader): void {
  if (part.has("file_id")) throw refusal(part.pathOf("file_id"));
  const file = asObject(part.value["file"]);
  if (asString(file?.["file_id"]) !== undefined) throw refusal(`${part.pathOf("file")}.file_id`);
  if (asObject(part.value["source"])?.["type"] === "file") throw refusal(part.pathOf("source"));
  for (const inner of elements(part, "content")) rejectPart(inner);
}

function rejectTools(holder: RequestFieldReader): void {
  for (const tool of elements(holder, "tools")) {
    if (statefulTool.test(asString(tool.value["type"]) ?? "")) throw refusal(tool.path);
    const setting = statefulSettings.find((name) => tool.has(name));
    if (setting !== undefined) throw refusal(tool.pathOf(setting));
    rejectEnvironment(tool);
  }
}

/** Where a shell works; only the caller's own machine is not the vendor's. */
function rejectEnvironment(holder: RequestFieldReader): void {
  const type = asObject(holder.value["environment"])?.["type"] ?? "local";
  if (type !== "local") throw refusal(holder.pathOf("environment"));
}

/** What of a list is an object, with its place; anything else is the upstream's to judge. */
function elements(holder: RequestFieldReader, name: string): readonly RequestFieldReader[] {
  return asArrayOrEmpty(holder.value[name]).flatMap((value, index) => {
    const object = asObject(value);
    const path = arrayElementPath(holder.pathOf(name), index);
    return object === undefined ? [] : [new RequestFieldReader(object, path)];
  });
}

function refusal(path: string): Error {
  return invalidRequestError(path, adviceFor(path));
}

function adviceFor(path: string): string {
  return `\`${path}\` is about what the vendor keeps, and nothing is kept under the operator's credential. Send the content itself, or use a credential of your own (\`x-svc-route: byo\`).`;
}
