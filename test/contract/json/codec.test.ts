import { globSync } from "node:fs";
import { join } from "node:path";
import type { DescFile, DescMessage } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRestFieldPolicy } from "../../../src/contract/field-policy.ts";
import { compileMessageDecoder } from "../../../src/contract/json/decode-message.ts";
import { compileProtoJsonEncoder } from "../../../src/contract/json/encode-message.ts";
import { arbitraryMessage } from "../../transport/support/arbitrary-message.ts";

const generated = join(import.meta.dirname, "../../../gen/ts/causeway");

/** Every message of the contract, but for the options, which are never sent. */
async function contractMessages(): Promise<DescMessage[]> {
  const paths = globSync("**/*_pb.ts", { cwd: generated }).filter(
    (path) => !path.startsWith("options"),
  );
  const modules = await Promise.all(
    paths.map(async (path) => (await import(join(generated, path))) as Record<string, unknown>),
  );
  return modules
    .flatMap((exports) => Object.values(exports).filter(isFile))
    .flatMap((file) => file.messages);
}

function isFile(value: unknown): value is DescFile {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "file";
}

/** A field mask is filled by the transport, bytes go past the codec, and a value may be of any type: none is a plain round trip. */
function hasPlainForm(desc: DescMessage): boolean {
  return desc.fields.every(({ message }) => {
    if (message === undefined) return true;
    if (/FieldMask$|HttpBody$|\.Value$|ListValue$/.test(message.typeName)) return false;
    return message.typeName.startsWith("google.") || hasPlainForm(message);
  });
}

/** Null stands for what is not set, which a request leaves out. */
function withoutNulls(desc: DescMessage, json: unknown): unknown {
  const members = Object.entries(json as Record<string, unknown>).flatMap(([name, value]) => {
    const field = desc.fields.find((candidate) => candidate.name === name);
    if (value === null && field !== undefined && readRestFieldPolicy(field).nullable) return [];
    if (field?.message === undefined || field.message.typeName.startsWith("google."))
      return [[name, value]];
    const inner = field.message;
    if (field.fieldKind === "list")
      return [[name, (value as unknown[]).map((item) => withoutNulls(inner, item))]];
    if (field.fieldKind === "map") {
      const entries = Object.entries(value as object).map(([key, item]) => [
        key,
        withoutNulls(inner, item),
      ]);
      return [[name, Object.fromEntries(entries)]];
    }
    return [[name, withoutNulls(inner, value)]];
  });
  return Object.fromEntries(members);
}

describe("the REST codec", async () => {
  const messages = (await contractMessages()).filter(hasPlainForm);

  it("covers the contract", () => {
    expect(messages.length).toBeGreaterThan(100);
  });

  it.each(messages)("[name.json] decodes what it encodes: $typeName", (desc) => {
    const encode = compileProtoJsonEncoder(desc);
    const decode = compileMessageDecoder(desc);
    fc.assert(
      fc.property(arbitraryMessage(desc), (message) => {
        const json: unknown = JSON.parse(JSON.stringify(encode(message)));
        expect(decode(withoutNulls(desc, json), "")).toEqual(message);
      }),
      { numRuns: 20 },
    );
  });
});
