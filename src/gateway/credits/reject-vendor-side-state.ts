import { RequestFieldReader, arrayElementPath } from "../../dialect/body-reader.ts";
import { threadUnsupportedError } from "../../dialect/history-fields.ts";
import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import { rejectResponsesVendorStateReferences as refuseResponseState } from "../../dialect/responses/vendor-state.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { findNestedMemberPath } from "./find-nested-member.ts";

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
  for (const item of [...elements(body, "messages"), ...elements(body, "input")]) {
    rejectTools(item);
    rejectEnvironment(item);
  }
  for (const name of contentMembers) {
    const path = findNestedMemberPath(value[name], name, findReference);
    if (path !== undefined) throw refusal(path);
  }
}

/** Members of a body that hold content and tools, at any depth. */
const contentMembers = ["system", "messages", "input", "tools"];

/** Names the member of an object that refers to something of the credential's owner. */
function findReference(object: JsonObject): string | undefined {
  if ((object["file_id"] ?? null) !== null) return "file_id";
  if ((object["skill_id"] ?? null) !== null) return "skill_id";
  if (asObject(object["source"])?.["type"] === "file") return "source";
  // The vendor stores the words that a chat model has spoken under this id.
  if (asObject(object["audio"])?.["id"] !== undefined) return "audio";
  // A message may define a tool, as the body does in `tools`.
  const tool = asObject(object["definition"]);
  return tool !== undefined && findStatefulPart(tool) !== undefined ? "definition" : undefined;
}

/** The part of a tool's definition for which the vendor stores something. "": its type. */
function findStatefulPart(tool: JsonObject): string | undefined {
  if (statefulTool.test(asString(tool["type"]) ?? "")) return "";
  return statefulSettings.find((name) => (tool[name] ?? null) !== null);
}

function rejectTools(holder: RequestFieldReader): void {
  for (const tool of elements(holder, "tools")) {
    const part = findStatefulPart(tool.value);
    if (part !== undefined) throw refusal(part === "" ? tool.path : tool.pathOf(part));
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
