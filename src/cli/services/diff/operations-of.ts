import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isProtobufJsonObject } from "../../../contract/json/decode-json.ts";
import { readStringMemberOrEmpty } from "../../read-string-member.ts";
import type { OpenApiDiffDocument } from "./open-api-document.ts";
import { trimTrailingCharacter } from "../../../platform/trim-character.ts";

/** An operation of a document, as it is compared. */
export interface OpenApiDiffOperation {
  /** Method and path, `GET /users/{user_id}`. */
  readonly name: string;
  /** By place and name, `query page`; those of the path by their number, since documents name them as they like. */
  readonly parameters: ReadonlyMap<string, OpenApiDiffParameter>;
  /** Undefined: it takes no body. */
  readonly body: OpenApiDiffRequestBody | undefined;
  /** By status, such as `200`, `4XX` or `default`. */
  readonly responses: ReadonlyMap<string, OpenApiSchemasByMediaType>;
}

/** A value beside the body. */
export interface OpenApiDiffParameter {
  readonly required: boolean;
  readonly schema: JsonObject;
}

/** What a request carries. */
export interface OpenApiDiffRequestBody {
  readonly required: boolean;
  readonly contents: OpenApiSchemasByMediaType;
}

/** Schemas by media type, without its parameters. */
export type OpenApiSchemasByMediaType = ReadonlyMap<string, JsonObject>;

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/**
 * The operations of a document by method and shape of the path: `/users/{id}` and
 * `/users/{user_id}` are one. `prefix` stands before every path.
 */
export function indexOpenApiOperationsForDiff(
  document: OpenApiDiffDocument,
  prefix: string,
): ReadonlyMap<string, OpenApiDiffOperation> {
  const paths = Object.entries(document.resolved(document.root["paths"]));
  const operations = paths.flatMap(([path, value]) => {
    const item = document.resolved(value);
    const whole = `${prefix}${path}`;
    return methods
      .filter((method) => isProtobufJsonObject(item[method]))
      .map((method) => operationOf(document, method.toUpperCase(), whole, item, item[method]));
  });
  return new Map(operations.map((operation) => [shapeOfPath(operation.name), operation]));
}

/** The path of the first address of a document, without a slash at its end; undefined: it names none. */
export function readOpenApiBasePath(document: OpenApiDiffDocument): string | undefined {
  const [server] = document.each(document.root["servers"]);
  if (server === undefined) return undefined;
  const url = URL.parse(serverUrl(server), "http://server");
  return trimTrailingCharacter(url?.pathname ?? "", "/");
}

/** The address with what its variables are by default (OpenAPI 3.1, Server Variable Object). */
function serverUrl(server: JsonObject): string {
  const { variables = {} } = server;
  return readStringMemberOrEmpty(server, "url").replaceAll(
    /\{([^{}]*)\}/g,
    (whole, name: string) => {
      const variable = isProtobufJsonObject(variables) ? variables[name] : undefined;
      return isProtobufJsonObject(variable) ? readStringMemberOrEmpty(variable, "default") : whole;
    },
  );
}

function operationOf(
  document: OpenApiDiffDocument,
  method: string,
  path: string,
  item: JsonObject,
  value: JsonValue | undefined,
): OpenApiDiffOperation {
  const operation = document.resolved(value);
  const body = document.resolved(operation["requestBody"]);
  const responses = Object.entries(document.resolved(operation["responses"]));
  return {
    name: `${method} ${path}`,
    // Those of the operation replace those of the path.
    parameters: new Map([
      ...parametersOf(document, path, item["parameters"]),
      ...parametersOf(document, path, operation["parameters"]),
    ]),
    body: isProtobufJsonObject(body["content"])
      ? { required: body["required"] === true, contents: contentsOf(document, body) }
      : undefined,
    responses: new Map(
      responses.map(([status, answer]) => [
        status,
        contentsOf(document, document.resolved(answer)),
      ]),
    ),
  };
}

/** Headers that the learning leaves to the client, and cookies, are not compared. */
function parametersOf(
  document: OpenApiDiffDocument,
  path: string,
  list: JsonValue | undefined,
): [string, OpenApiDiffParameter][] {
  const variables = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  return document.each(list).flatMap((parameter): [string, OpenApiDiffParameter][] => {
    const [place, name] = [
      readStringMemberOrEmpty(parameter, "in"),
      readStringMemberOrEmpty(parameter, "name"),
    ];
    const required = place === "path" || parameter["required"] === true;
    const value = { required, schema: schemaOf(document, parameter) };
    if (place === "query") return [[`query ${name}`, value]];
    const index = place === "path" ? variables.indexOf(name) : -1;
    return index === -1 ? [] : [[`path ${index + 1}`, value]];
  });
}

/** A parameter may have its schema below a media type. */
function schemaOf(document: OpenApiDiffDocument, parameter: JsonObject): JsonObject {
  const [ofContent] = contentsOf(document, parameter).values();
  return ofContent ?? document.resolved(parameter["schema"]);
}

function contentsOf(document: OpenApiDiffDocument, message: JsonObject): OpenApiSchemasByMediaType {
  const contents = Object.entries(document.resolved(message["content"]));
  return new Map(
    contents.map(([type, value]) => {
      const [essence = ""] = type.toLowerCase().split(";");
      return [essence.trim(), document.resolved(document.resolved(value)["schema"])];
    }),
  );
}

function shapeOfPath(name: string): string {
  return name.replaceAll(/\{[^{}]*\}/g, "{}").replace(/(?<=.)\/$/, "");
}
