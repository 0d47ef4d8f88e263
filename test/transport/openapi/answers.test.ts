import type { DescMessage } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readRestRules } from "../../../src/contract/rest-rule.ts";
import { compileProtoJsonEncoder } from "../../../src/contract/json/encode-message.ts";
import { loadContract } from "../../contract/contract-files.ts";
import { arbitraryMessage } from "../support/arbitrary-message.ts";
import { openValidator } from "../support/document-validator.ts";
import { buildDocument } from "./build-document.ts";

const { services } = await loadContract();

/** Messages that a method answers with over REST, by name. */
function answers(): DescMessage[] {
  const methods = services.flatMap((service) => service.methods).flatMap(readRestRules);
  const outputs = methods
    .filter((rule) => rule.successStatus !== 204 && rule.responseBody === undefined)
    .map((rule) => rule.method.output)
    .filter((output) => output.typeName.startsWith("causeway."));
  return [...new Map(outputs.map((output) => [output.typeName, output])).values()];
}

const misfit = await openValidator(buildDocument(services));

describe("what the REST transport prints fits the document", () => {
  test.each(answers().map((desc) => [desc.name, desc] as const))("%s", (name, desc) => {
    const encode = compileProtoJsonEncoder(desc);
    const schema = `#/components/schemas/${name}`;
    expect(misfit(schema, "no object")).toBeDefined();
    fc.assert(
      fc.property(arbitraryMessage(desc), (message) => {
        expect(misfit(schema, JSON.parse(JSON.stringify(encode(message))))).toBeUndefined();
      }),
      { numRuns: 10 },
    );
  });
});
