import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { CliError } from "../cli-error.ts";
import { formatCliResultAsText } from "../format-result.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { formatTable } from "../format-table.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";

/** The columns of a service that fit on a line. */
export function toLearnedServiceTableRow(service: JsonObject): JsonObject {
  const { id, shipped, title, base_url, templates_count, observations, last_seen, updated_at } =
    service;
  return {
    id: id ?? null,
    shipped: shipped ?? null,
    title: title ?? null,
    base_url: base_url ?? null,
    templates: templates_count ?? null,
    requests: observations ?? null,
    last_seen: day(last_seen),
    updated_at: updated_at ?? null,
  };
}

/** A service without what is said twice; the operations of its document as a table. */
export function formatLearnedService({
  service_id: _same,
  document,
  ...service
}: JsonObject): string {
  const days = { first_seen: day(service["first_seen"]), last_seen: day(service["last_seen"]) };
  const text = formatCliResultAsText({ ...service, ...days });
  return isProtobufJsonObject(document)
    ? `${text}\n\n${formatTable(operationRows(document))}`
    : text;
}

function day(time: JsonValue | undefined): string | null {
  return typeof time === "string" ? time.slice(0, 10) : null;
}

/** In the order in which templates match, where the document tells it. */
function operationRows(document: JsonObject): JsonObject[] {
  const paths = isProtobufJsonObject(document["paths"]) ? document["paths"] : {};
  const order = document["x-path-templates"];
  const templates = Array.isArray(order)
    ? order.filter((path) => typeof path === "string")
    : Object.keys(paths);
  return templates.flatMap((path) => {
    const operations = Object.entries(isProtobufJsonObject(paths[path]) ? paths[path] : {});
    return operations.flatMap(([method, operation]) =>
      isProtobufJsonObject(operation) && isProtobufJsonObject(operation["responses"])
        ? [{ method: method.toUpperCase(), path, statuses: Object.keys(operation["responses"]) }]
        : [],
    );
  });
}

/** The document that an answer of its very bytes holds. Throws a `CliError` if it is no JSON. */
export function decodeServiceDocumentJson(answer: JsonObject): JsonObject {
  const bytes = Buffer.from(readStringMemberOrEmpty(answer, "data"), "base64");
  try {
    const document = JSON.parse(bytes.toString()) as JsonValue;
    return isProtobufJsonObject(document) ? document : {};
  } catch {
    throw new CliError("The server answered with a document that is not JSON.");
  }
}
