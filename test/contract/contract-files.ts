import { glob } from "node:fs/promises";
import { join } from "node:path";
import {
  createRegistry,
  getOption,
  type DescEnum,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescService,
} from "@bufbuild/protobuf";
import {
  CredentialKind,
  CredentialKindSchema,
  method as policyOption,
  ScopeSchema,
  value as valueOption,
  type MethodPolicy,
} from "../../gen/ts/causeway/options/v1/options_pb.ts";
import { http } from "../../gen/ts/google/api/annotations_pb.ts";
import type { HttpRule } from "../../gen/ts/google/api/http_pb.ts";

const generated = join(import.meta.dirname, "../../gen/ts/causeway");

/** Everything that the contract declares, found in gen/ so that no file can be forgotten. */
export interface Contract {
  readonly services: readonly DescService[];
  readonly methods: readonly DescMethod[];
  readonly messages: readonly DescMessage[];
  readonly enums: readonly DescEnum[];
}

/** Loads the descriptors of every generated file of ours. */
export async function loadContract(): Promise<Contract> {
  const files: DescFile[] = [];
  for await (const name of glob("**/*_pb.ts", { cwd: generated })) {
    const module: Record<string, unknown> = await import(join(generated, name));
    files.push(...Object.values(module).filter(isFile));
  }
  const types = [...createRegistry(...files)].filter((it) => it.typeName.startsWith("causeway."));
  const services = types.filter((it) => it.kind === "service");
  return {
    services,
    methods: services.flatMap((service) => service.methods),
    messages: types.filter((it) => it.kind === "message"),
    enums: types.filter((it) => it.kind === "enum"),
  };
}

function isFile(value: unknown): value is DescFile {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "file";
}

/** The `google.api.http` option; its pattern has no case where a method has none. */
export function httpRule(method: DescMethod): HttpRule {
  return getOption(method, http);
}

/** `GET /v1/teams`, or the empty string for a method without a REST route. */
export function route(method: DescMethod): string {
  const { pattern } = httpRule(method);
  if (typeof pattern.value !== "string") return "";
  // A field that takes the rest of the path is written as one in `pinned-operations.ts`.
  return `${pattern.case.toUpperCase()} ${pattern.value.replace("=**}", "}")}`;
}

/** The `causeway.options.v1.method` option. */
export function policy(method: DescMethod): MethodPolicy {
  return getOption(method, policyOption);
}

/** Names of the fields that the path of a method's route binds. */
export function pathFields(method: DescMethod): string[] {
  return [...route(method).matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** `operationId` of a method: what its policy says, else its name in camel case. */
export function operationId(method: DescMethod): string {
  return policy(method).operationId || method.localName;
}

/** Who may call, as the pinned table writes it: `session`, `key(teams:read) session`, `key`, `-`. */
export function callers(method: DescMethod): string {
  const { credentials, scope } = policy(method);
  const limit = scope === 0 ? "" : `(${spelling(ScopeSchema, scope)})`;
  const names = credentials.map((kind) =>
    kind === CredentialKind.KEY ? `key${limit}` : spelling(CredentialKindSchema, kind),
  );
  return names.join(" ") || "-";
}

/** REST spelling of an enum value (proto options, ValuePolicy). */
export function spelling(desc: DescEnum, number: number): string {
  const value = desc.value[number];
  if (value === undefined) throw new Error(`${desc.typeName} has no value ${number}`);
  const short = value.name.toLowerCase().slice(desc.sharedPrefix?.length ?? 0);
  return getOption(value, valueOption).restName || short;
}
