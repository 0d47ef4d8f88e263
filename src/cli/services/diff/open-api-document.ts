import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isProtobufJsonObject } from "../../../contract/json/decode-json.ts";

/** A reference to a reference and so on is followed this far. */
const maxReferenceDepth = 32;

/** An OpenAPI 3.0 or 3.1 document whose local references are followed where they stand. */
export class OpenApiDiffDocument {
  readonly root: JsonObject;

  constructor(root: JsonObject) {
    this.root = root;
  }

  /**
   * The object that a value is or refers to, with the members beside a reference laid over
   * it; empty for anything else, and for what lies in another file or nowhere.
   */
  resolved(value: JsonValue | undefined, hops = 0): JsonObject {
    if (!isProtobufJsonObject(value)) return {};
    const { $ref: reference, ...own } = value;
    if (typeof reference !== "string") return value;
    if (hops === maxReferenceDepth) return own;
    return { ...this.resolved(this.#at(reference), hops + 1), ...own };
  }

  /** The elements of a list, each resolved; none for anything else. */
  each(value: JsonValue | undefined): JsonObject[] {
    return Array.isArray(value) ? value.map((element) => this.resolved(element)) : [];
  }

  /** The value at a JSON pointer (RFC 6901) in a fragment, `#/components/schemas/User`. */
  #at(reference: string): JsonValue | undefined {
    if (!reference.startsWith("#")) return undefined;
    const names = reference.slice(1).split("/").slice(1).map(unescapeName);
    return names.reduce<JsonValue | undefined>(memberOf, this.root);
  }
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(name)];
  return isProtobufJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function unescapeName(name: string): string {
  let text = name;
  try {
    text = decodeURIComponent(name);
  } catch {
    // A percent sign that is one.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
