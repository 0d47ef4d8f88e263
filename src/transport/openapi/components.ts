import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import type { OpenApiRefObject, OpenApiResponse, OpenApiSchema } from "./document-types.ts";

/** Requests are strict and have limits, answers say what is always there; a type used in both has two schemas. */
export type SchemaDirection = "request" | "answer";

/** Collects the named parts of a document while its operations are described. */
export class OpenApiComponents {
  readonly #responses = new Map<string, OpenApiResponse>();
  readonly #schemas = new Map<string, { owner: string; schema: OpenApiSchema }>();

  /**
   * A reference to the schema of a type, which `describe` makes when it is first
   * needed. The name is the type's own; two types of one name are a mistake of
   * the contract and fail here.
   */
  schema(
    desc: DescEnum | DescMessage,
    direction: SchemaDirection,
    describe: () => OpenApiSchema,
  ): OpenApiRefObject {
    const isInput = desc.kind === "message" && direction === "request" && !isRequest(desc);
    const name = isInput ? `${desc.name}Input` : desc.name;
    const known = this.#schemas.get(name);
    if (known === undefined) {
      // Taken before it is described, for types that contain themselves.
      this.#schemas.set(name, { owner: desc.typeName, schema: {} });
      this.#schemas.set(name, { owner: desc.typeName, schema: describe() });
    } else if (known.owner !== desc.typeName) {
      throw new Error(`${known.owner} and ${desc.typeName} have one name in the OpenAPI document`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** A reference to a response that several operations share. */
  response(name: string, describe: () => OpenApiResponse): OpenApiRefObject {
    if (!this.#responses.has(name)) this.#responses.set(name, describe());
    return { $ref: `#/components/responses/${name}` };
  }

  /** Every schema so far, in the order of names. */
  schemas(): Record<string, OpenApiSchema> {
    return sortByName([...this.#schemas].map(([name, { schema }]) => [name, schema]));
  }

  /** Every shared response so far, in the order of names. */
  responses(): Record<string, OpenApiResponse> {
    return sortByName([...this.#responses]);
  }
}

function sortByName<Part>(
  entries: readonly (readonly [name: string, part: Part])[],
): Record<string, Part> {
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** Messages that are only ever sent need no other name. */
function isRequest(desc: DescMessage): boolean {
  return desc.name.endsWith("Request");
}
