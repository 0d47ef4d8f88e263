/**
 * What every method, message and field of the contract must have, and the table
 * of operations, which is pinned. That everything has a comment is held by
 * `buf lint` (category COMMENTS).
 */
import {
  create,
  getOption,
  hasOption,
  ScalarType,
  type DescField,
  type DescMessage,
  type DescMethod,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import { describe, expect, it } from "vitest";
import {
  field as fieldOption,
  method as policyOption,
  type FieldPolicy,
} from "../../gen/ts/causeway/options/v1/options_pb.ts";
import { errorCatalog } from "../../src/platform/errors.ts";
import {
  callers,
  httpRule,
  loadContract,
  operationId,
  pathFields,
  policy,
  route,
  spelling,
} from "./contract-files.ts";
import { pinnedIdempotent, pinnedOperations, pinnedSpellings } from "./pinned-operations.ts";

const contract = await loadContract();
const { methods, messages } = contract;
const fields = messages.flatMap((message) => message.fields);
const withRoute = methods.filter((method) => route(method) !== "");

/** Codes that every method can give; a policy that repeats them says nothing. */
const commonCodes = new Set([
  "invalid_request",
  "unauthorized",
  "insufficient_scope",
  "request_too_large",
  "rate_limited",
  "internal_error",
  "unavailable",
]);

describe("operations", () => {
  it("[version.path] are exactly those that are pinned", () => {
    const actual = methods.map((method) => [
      operationId(method),
      route(method),
      callers(method),
      policy(method).successStatus || 200,
    ]);
    expect(sorted(actual)).toEqual(sorted(pinnedOperations));
  });

  it("[idempotency.where] take an idempotency key where the contract says so", () => {
    const actual = methods.filter((method) => policy(method).idempotencyKey);
    expect(sorted(actual.map(operationId))).toEqual(sorted(pinnedIdempotent));
  });

  it("have unique ids", () => {
    expect(repeated(methods.map(operationId))).toEqual([]);
  });

  it("all have a policy", () => {
    expect(named(methods.filter((it) => !hasOption(it, policyOption)))).toEqual([]);
  });

  it("list error codes of the catalogue that not every operation gives", () => {
    const special = new Set(Object.keys(errorCatalog).filter((code) => !commonCodes.has(code)));
    const listed = methods.flatMap((method) => policy(method).errorCodes);
    expect(listed.filter((code) => !special.has(code))).toEqual([]);
  });

  it("have a scope only where a key may call", () => {
    const scoped = methods.filter((method) => policy(method).scope !== 0);
    expect(named(scoped.filter((method) => !callers(method).startsWith("key(")))).toEqual([]);
  });

  it("[name.proto] belong to services named after their package", () => {
    const expected = contract.services.map(({ file }) => {
      const [, name = ""] = file.proto.package.split(".");
      return `causeway.${name}.v1.${name.charAt(0).toUpperCase()}${name.slice(1)}Service`;
    });
    expect(contract.services.map((service) => service.typeName)).toEqual(expected);
  });
});

describe("routes", () => {
  it("[operations.proto] exist for everything but streams", () => {
    const without = methods.filter((method) => !withRoute.includes(method));
    expect(without).toEqual(methods.filter((method) => method.methodKind !== "unary"));
  });

  it("do not collide", () => {
    expect(repeated(withRoute.map((it) => route(it).replaceAll(/\{\w+\}/g, "{}")))).toEqual([]);
  });

  it("bind path parameters to string fields", () => {
    const bound = withRoute.flatMap((it) =>
      pathFields(it).map((name) => fieldNamed(it.input, name)),
    );
    expect(named(bound.filter((field) => field.scalar !== ScalarType.STRING))).toEqual([]);
  });

  it("carry every field: in the path, in the body, or in the query of a GET", () => {
    // The one body that goes in as bytes is an object for callers of other protocols.
    expect(withRoute.flatMap(unboundFields)).toEqual([
      "field causeway.document.v1.LearnServiceRequest.har",
    ]);
  });

  it("have no body where they are GET or DELETE", () => {
    const bodiless = withRoute.filter((method) => /^(GET|DELETE) /.test(route(method)));
    expect(named(bodiless.filter((method) => httpRule(method).body !== ""))).toEqual([]);
  });

  it("answer with a field only where it exists", () => {
    const bare = withRoute.filter((method) => httpRule(method).responseBody !== "");
    const answers = bare.map((it) => fieldNamed(it.output, httpRule(it).responseBody));
    expect(named(answers)).toEqual(["field causeway.alias.v1.ListAliasesResponse.aliases"]);
  });

  it("have an update mask exactly where they are PATCH", () => {
    const patches = withRoute.filter((method) => route(method).startsWith("PATCH "));
    expect(named(withRoute.filter(hasMask))).toEqual(named(patches));
  });
});

describe("lists", () => {
  const lists = messages.filter((it) =>
    it.fields.some((field) => option(field).constant === "list"),
  );

  it("[operations.envelope] [list.envelope] have the list envelope", () => {
    const envelope = ["object", "data", "has_more", "first_id", "last_id"];
    const different = lists.filter((it) => fieldNames(it).join() !== envelope.join());
    // The one with the legacy duplicate `upstreams`.
    expect(different.map((it) => it.name)).toEqual(["ListUpstreamsResponse"]);
  });

  it("[operations.pages] page like the team lists, but for the models, which are one page", () => {
    const paging = ["limit", "after_id", "before_id"];
    const unpaged = methods
      .filter(({ output }) => lists.includes(output))
      .filter(({ input }) => !paging.every((name) => fieldNames(input).includes(name)));
    expect(unpaged.map(operationId)).toEqual(["listModels"]);
  });
});

describe("fields", () => {
  it("can be null only where they can have no value", () => {
    const nulls = fields.filter((it) => option(it).nullable || option(it).clearable);
    const isVouchedFor = ({ parent, name }: DescField) =>
      parent.fields.some((it) => option(it).presenceOf === name);
    const always = nulls.filter(
      (it) => it.presence === FeatureSet_FieldPresence.IMPLICIT && !isVouchedFor(it),
    );
    expect(named(always)).toEqual([]);
  });

  it("have a constant only where they are strings", () => {
    const constant = fields.filter((it) => option(it).constant !== "");
    expect(named(constant.filter((it) => it.scalar !== ScalarType.STRING))).toEqual([]);
  });

  it("called `object` are constant", () => {
    const objects = fields.filter((it) => it.name === "object");
    expect(named(objects.filter((it) => option(it).constant === ""))).toEqual([]);
  });

  it("that vouch for a list or map stand beside it", () => {
    const vouched = fields
      .filter((it) => option(it).presenceOf !== "")
      .map((it) => fieldNamed(it.parent, option(it).presenceOf));
    expect(vouched.map((it) => it.fieldKind)).toEqual(vouched.map(() => "list"));
  });

  it("have rules that compile", () => {
    const validator = createValidator();
    const results = methods.map(({ input }) => validator.validate(input, create(input)));
    expect(results.filter((it) => it.kind === "error")).toEqual([]);
  });
});

describe("enums", () => {
  it.each(Object.entries(pinnedSpellings))(
    "[auth.scopes] [team.roles] %s is spelled as callers know it",
    (name, spellings) => {
      const desc = contract.enums.find((it) => it.typeName === name);
      const values = desc?.values.filter((value) => value.number !== 0) ?? [];
      expect(values.map((value) => spelling(value.parent, value.number))).toEqual(spellings);
    },
  );

  it("are all pinned, but for those of the options", () => {
    const own = new Set(["causeway.options.v1.CredentialKind", "causeway.options.v1.ErrorForm"]);
    const names = contract.enums.map((it) => it.typeName).filter((name) => !own.has(name));
    expect(sorted(names)).toEqual(sorted(Object.keys(pinnedSpellings)));
  });
});

function sorted<T>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => String(a).localeCompare(String(b)));
}

function repeated(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}

function named(descriptors: readonly { toString(): string }[]): string[] {
  return descriptors.map(String);
}

function option(field: DescField): FieldPolicy {
  return getOption(field, fieldOption);
}

function fieldNames(message: DescMessage): string[] {
  return message.fields.map((it) => it.name);
}

function fieldNamed(message: DescMessage, name: string): DescField {
  const field = message.fields.find((it) => it.name === name);
  if (field === undefined) throw new Error(`${message.typeName} has no field ${name}`);
  return field;
}

function hasMask(method: DescMethod): boolean {
  const masks = method.input.fields.filter(
    (it) => it.message?.typeName === FieldMaskSchema.typeName,
  );
  return masks.some((it) => it.name === "update_mask");
}

function unboundFields(method: DescMethod): string[] {
  const { body } = httpRule(method);
  if (body === "*" || route(method).startsWith("GET ")) return [];
  const bound = new Set([...pathFields(method), body]);
  const unbound = method.input.fields.filter((it) => !bound.has(it.name));
  return unbound.map((it) => it.toString());
}
