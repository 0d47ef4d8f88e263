import { isFieldSet } from "@bufbuild/protobuf";
import { DialectSchema } from "../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import {
  UpdateUpstreamRequestSchema,
  type UpdateUpstreamRequest,
} from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { enumNumberToName } from "../contract/enum-name.ts";
import { invalidRequestError } from "../platform/errors.ts";
import type { UpstreamPatch } from "./update-upstream.ts";
import type { UpstreamDialect } from "../domain/callable-endpoint.ts";

/** How each field that may change is read; none of them can be cleared but lists and maps. */
const readers: ReadonlyMap<string, (request: UpdateUpstreamRequest) => UpstreamPatch> = new Map<
  string,
  (request: UpdateUpstreamRequest) => UpstreamPatch
>([
  ["label", ({ label }) => ({ label: requireValue(label, "label") })],
  ["dialect", ({ dialect }) => ({ dialect: requireValue(dialectOf(dialect), "dialect") })],
  ["api_key", ({ apiKey }) => ({ apiKey: requireValue(apiKey, "api_key") })],
  ["headers", ({ headers }) => ({ headers })],
  ["models", ({ models }) => ({ models })],
  ["model_names", ({ modelNames }) => ({ modelNames })],
]);

/**
 * The changes that a request asks for: the fields of its mask, or without one
 * those that are set. Throws 400 for a field that cannot be changed.
 */
export function parseCustomEndpointPatch(request: UpdateUpstreamRequest): UpstreamPatch {
  const changes = maskPaths(request).map((path) => {
    const read = readers.get(path);
    if (read !== undefined) return read(request);
    throw invalidRequestError(path, `\`${path}\` cannot be changed.`);
  });
  return Object.assign({}, ...changes) as UpstreamPatch;
}

function maskPaths(request: UpdateUpstreamRequest): readonly string[] {
  if (request.updateMask !== undefined) return request.updateMask.paths;
  return UpdateUpstreamRequestSchema.fields
    .filter((field) => readers.has(field.name) && isFieldSet(request, field))
    .map(({ name }) => name);
}

function requireValue<Value>(value: Value | undefined, field: string): Value {
  if (value !== undefined) return value;
  throw invalidRequestError(field, `\`${field}\` must have a value.`);
}

function dialectOf(number: number | undefined): UpstreamDialect | undefined {
  return enumNumberToName(DialectSchema, number) as UpstreamDialect | undefined;
}
