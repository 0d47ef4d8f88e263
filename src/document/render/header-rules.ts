import { mergeInferredShapes } from "../shape/join-shapes.ts";
import { emptyInferredShape, type InferredShape } from "../shape/shape.ts";
import type { LearnedOperation } from "../state/path-node.ts";

/** Where the value of a header comes from when a request is made again. */
export type LearnedHeaderValueSource = "caller" | "credential" | "computed";

/** A header, or a query parameter that is a credential, without its value. */
export interface LearnedServiceHeaderRule {
  readonly name: string;
  readonly in: "header" | "query";
  /** Every request had it. */
  readonly required: boolean;
  readonly source: LearnedHeaderValueSource;
}

const credentialHeader =
  /^(?:authorization|proxy-authorization|cookie|private-token)$|(?:^|[-_])(?:api-?key|apikey|access-?key|auth|token|secret|session(?:-?id)?|password|credential|jwt)$/;

const credentialQuery =
  /^(?:key|sig|signature)$|(?:^|[-_.])(?:api[-_]?key|apikey|access[-_]?token|auth|token|secret|session(?:[-_]?id)?|password|credential|jwt)$/i;

const computedHeader =
  /^(?:date|digest|content-digest|repr-digest|content-md5|baggage|traceparent|tracestate|b3)$|^x-b3-|(?:^|[-_])(?:signature(?:-\w+)?|signature-input|sign|date|timestamp|nonce|hmac|sha256|digest|checksum|request-id|correlation-id|trace-id)$/;

/** Of a header, by its name in lower case. */
export function classifyHeaderSourceByName(name: string): LearnedHeaderValueSource {
  if (credentialHeader.test(name)) return "credential";
  return computedHeader.test(name) ? "computed" : "caller";
}

/** The rules of the operations of a document, by name. */
export function buildLearnedServiceHeaderRules(
  operations: readonly LearnedOperation[],
): LearnedServiceHeaderRule[] {
  const rules = [
    ...rulesOf(operations, "headers", (name, required) => {
      return [{ name, in: "header", required, source: classifyHeaderSourceByName(name) }];
    }),
    ...rulesOf(operations, "query", (name, required) => {
      return credentialQuery.test(name)
        ? [{ name, in: "query", required, source: "credential" }]
        : [];
    }),
  ];
  return rules.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function rulesOf(
  operations: readonly LearnedOperation[],
  part: "headers" | "query",
  toRules: (name: string, required: boolean) => LearnedServiceHeaderRule[],
): LearnedServiceHeaderRule[] {
  const shapes = operations.map(({ exchange }) => partOf(exchange, part));
  const joined = shapes.reduce(mergeInferredShapes, emptyInferredShape);
  const properties = [...(joined.object?.properties ?? [])];
  return properties.flatMap(([name, { required }]) => toRules(name, required));
}

function partOf(exchange: InferredShape, part: string): InferredShape {
  return exchange.object?.properties.get(part)?.shape ?? emptyInferredShape;
}
