import {
  getOption,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
} from "@bufbuild/protobuf";
import { http as httpOption } from "../../gen/ts/google/api/annotations_pb.ts";
import { HttpBodySchema } from "../../gen/ts/google/api/httpbody_pb.ts";
import type { HttpRule } from "../../gen/ts/google/api/http_pb.ts";
import { readMethodPolicy } from "./method-policy.ts";

/** HTTP methods that a REST route can have. */
export type HttpMethod = "GET" | "PUT" | "POST" | "DELETE" | "PATCH";

/** How one unary method is called over REST, read from its `google.api.http` option. */
export interface RestRule {
  readonly method: DescMethodUnary;
  readonly httpMethod: HttpMethod;
  /** Path with its fields: `/v1/teams/{team_id}`. */
  readonly template: string;
  /** The same path as Fastify writes it: `/v1/teams/:team_id`, `/v1/models/*`. */
  readonly route: string;
  /** Names of the request fields that the path binds. */
  readonly pathFields: readonly string[];
  /** The one that takes the rest of the path, slashes included; undefined: none does. */
  readonly restField: string | undefined;
  /** `*`: the body holds every field that the path does not; a name: it holds that field; undefined: it is not read. */
  readonly body: string | undefined;
  /** The field that `body` names is a `google.api.HttpBody`: the bytes go in unread. */
  readonly takesBytes: boolean;
  /** Name of the answer's field that is the whole REST body; undefined: the answer is. */
  readonly responseBody: string | undefined;
  /** 200, 201 or 204. */
  readonly successStatus: number;
}

/**
 * The REST routes of a method: none without the option or for a stream, several
 * with additional bindings. Throws at start for an option that cannot be served.
 */
export function readRestRules(method: DescMethod): RestRule[] {
  if (!isUnary(method)) return [];
  const option = getOption(method, httpOption);
  if (option.pattern.case === undefined) return [];
  return [option, ...option.additionalBindings].map((rule) => restRule(method, rule));
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

/** A field that takes the rest of the path: `{id=**}`. */
const restOfPath = /\{(\w+)=\*\*\}$/;

function restRule(method: DescMethodUnary, rule: HttpRule): RestRule {
  const [httpMethod, pattern] = patternOf(rule);
  const [, restField] = restOfPath.exec(pattern) ?? [];
  const template = pattern.replace(restOfPath, "{$1}");
  const pathFields = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  for (const name of pathFields) assertField(method.input, name);
  if (rule.body !== "" && rule.body !== "*") assertField(method.input, rule.body);
  if (rule.responseBody !== "") assertField(method.output, rule.responseBody);
  return {
    method,
    httpMethod,
    template,
    route: pattern.replace(restOfPath, "*").replaceAll(/\{(\w+)\}/g, ":$1"),
    pathFields,
    restField,
    body: rule.body === "" ? undefined : rule.body,
    takesBytes: bodyMessage(method.input, rule.body) === HttpBodySchema.typeName,
    responseBody: rule.responseBody === "" ? undefined : rule.responseBody,
    successStatus: readMethodPolicy(method).successStatus,
  };
}

/** Name of the type that a body is which is one field; undefined for any other. */
function bodyMessage(desc: DescMessage, body: string): string | undefined {
  return desc.fields.find(({ name }) => name === body)?.message?.typeName;
}

function patternOf({ pattern }: HttpRule): [HttpMethod, string] {
  switch (pattern.case) {
    case "get":
      return ["GET", pattern.value];
    case "put":
      return ["PUT", pattern.value];
    case "post":
      return ["POST", pattern.value];
    case "delete":
      return ["DELETE", pattern.value];
    case "patch":
      return ["PATCH", pattern.value];
    default:
      throw new Error(`google.api.http pattern ${String(pattern.case)} is not served`);
  }
}

function assertField(desc: DescMessage, name: string): void {
  if (desc.fields.some((field) => field.name === name)) return;
  throw new Error(`${desc.typeName} has no field ${name}, which a google.api.http option names`);
}
