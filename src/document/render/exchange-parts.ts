import {
  emptyInferredShape,
  type ObjectShape,
  type InferredProperty,
  type InferredShape,
} from "../shape/shape.ts";

type Properties = ObjectShape["properties"];

const noProperties: Properties = new Map<string, InferredProperty>();

/** The parts of an operation's exchange, by name. */
export interface HttpExchangeShapeParts {
  readonly query: Properties;
  /** In lower case. */
  readonly headers: Properties;
  /** Bodies by media type; undefined: no request had one. */
  readonly body: { readonly required: boolean; readonly content: Properties } | undefined;
  /** By status, each with its bodies by media type. */
  readonly responses: readonly (readonly [status: string, content: Properties])[];
}

/** Takes an exchange apart, everything in one order. */
export function splitHttpExchangeShape(exchange: InferredShape): HttpExchangeShapeParts {
  const parts = exchange.object?.properties ?? noProperties;
  const body = parts.get("body");
  return {
    query: sortByName(parts.get("query")?.shape),
    headers: sortByName(parts.get("headers")?.shape),
    body: body && { required: body.required, content: sortByName(body.shape) },
    responses: [...sortByName(parts.get("responses")?.shape)].map(([status, { shape }]) => [
      status,
      sortByName(shape),
    ]),
  };
}

/** The shapes of the bodies, in the order of the document. */
export function listBodyShapes({ body, responses }: HttpExchangeShapeParts): InferredShape[] {
  const contents = [body?.content ?? noProperties, ...responses.map(([, content]) => content)];
  return contents.flatMap((content) => [...content.values()].map(({ shape }) => shape));
}

function sortByName(shape: InferredShape = emptyInferredShape): Properties {
  const properties = [...(shape.object?.properties ?? noProperties)];
  return new Map(properties.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
