import type { DescMessage } from "@bufbuild/protobuf";
import fc from "fast-check";
import { fastify, type FastifyRequest } from "fastify";
import { describe, expect, test } from "vitest";
import { restRules } from "../../../src/transport/rest/rule.ts";
import { messageEncoder } from "../../../src/transport/rest/encode-message.ts";
import { loadContract } from "../../contract/contract-files.ts";
import { arbitraryMessage } from "../support/arbitrary-message.ts";
import { buildDocument } from "./build-document.ts";

const { services } = await loadContract();

/** Messages that a method answers with over REST, by name. */
function answers(): DescMessage[] {
  const methods = services.flatMap((service) => service.methods).flatMap(restRules);
  const outputs = methods
    .filter((rule) => rule.successStatus !== 204 && rule.responseBody === undefined)
    .map((rule) => rule.method.output)
    .filter((output) => output.typeName.startsWith("causeway."));
  return [...new Map(outputs.map((output) => [output.typeName, output])).values()];
}

/** Why a value does not fit the schema of a name; undefined when it does. */
type Misfit = (name: string, json: unknown) => string | undefined;

/** The validator that Fastify brings, with the document's schemas. */
async function openValidator(): Promise<Misfit> {
  const { components } = buildDocument(services);
  const customOptions = { coerceTypes: false, removeAdditional: false, strict: false };
  const app = fastify({ ajv: { customOptions } });
  app.addSchema({ $id: "document", components });
  const captured: FastifyRequest[] = [];
  app.get("/", (request) => {
    captured.push(request);
    return {};
  });
  await app.inject("/");
  return (name, json) => {
    const validate = captured[0]?.compileValidationSchema(schemaNamed(name));
    return validate?.(json) === true ? undefined : JSON.stringify([json, validate?.errors]);
  };
}

const schemas = new Map<string, object>();

/** The same object each time, because compiled validators are found by it. */
function schemaNamed(name: string): object {
  const known = schemas.get(name) ?? { $ref: `document#/components/schemas/${name}` };
  schemas.set(name, known);
  return known;
}

const misfit = await openValidator();

describe("what the REST transport prints fits the document", () => {
  test.each(answers().map((desc) => [desc.name, desc] as const))("%s", (name, desc) => {
    const encode = messageEncoder(desc);
    expect(misfit(name, "no object")).toBeDefined();
    fc.assert(
      fc.property(arbitraryMessage(desc), (message) => {
        expect(misfit(name, JSON.parse(JSON.stringify(encode(message))))).toBeUndefined();
      }),
      { numRuns: 10 },
    );
  });
});
