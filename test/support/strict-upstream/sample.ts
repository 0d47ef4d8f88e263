import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../../../src/dialect/json.ts";
import { outputOf } from "./recalled-output.ts";

/**
 * A value that the schema allows, as the prompt has it: what it says that `name` is,
 * else a name or a number of it.
 */
export function sampleOf(schema: JsonObject, prompt: string, name = ""): unknown {
  const [choice] = asArrayOrEmpty(schema["enum"]);
  if ("const" in schema) return schema["const"];
  if (choice !== undefined) return choice;
  const [branch] = [...asArrayOrEmpty(schema["anyOf"]), ...asArrayOrEmpty(schema["oneOf"])];
  if (branch !== undefined) return sampleOf(asObject(branch) ?? {}, prompt, name);
  return sampleOfType(
    asString(schema["type"]) ?? asString(asArrayOrEmpty(schema["type"])[0]),
    schema,
    prompt,
    outputOf(name, prompt),
  );
}

function sampleOfType(
  type: string | undefined,
  schema: JsonObject,
  prompt: string,
  said: string | undefined,
): unknown {
  switch (type) {
    case "string":
      return said ?? /\b(?:in|of|for) (\p{Lu}\p{L}+)/u.exec(prompt)?.[1] ?? "text";
    case "integer":
    case "number":
      return numberOf(said) ?? Number(schema["minimum"] ?? /\d+/.exec(prompt)?.[0] ?? 1);
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return [sampleOf(asObject(schema["items"]) ?? { type: "string" }, prompt)];
    default:
      return sampleObject(asObject(schema["properties"]) ?? listedIn(prompt), prompt);
  }
}

/** Properties that a prompt lists: `name (string), count (number)`. */
function listedIn(prompt: string): JsonObject {
  const listed = prompt.matchAll(/\b(\w+) \((string|number|integer|boolean)\)/g);
  return Object.fromEntries([...listed].map(([, name, type]) => [name, { type }]));
}

function numberOf(said: string | undefined): number | undefined {
  return /^\d+$/.test(said ?? "") ? Number(said) : undefined;
}

function sampleObject(properties: JsonObject, prompt: string): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      sampleOf(asObject(schema) ?? {}, prompt, name),
    ]),
  );
}
