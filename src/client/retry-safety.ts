import { getOption, type DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { method as policy } from "../../gen/ts/causeway/options/v1/options_pb.ts";
import { http } from "../../gen/ts/google/api/annotations_pb.ts";

/**
 * Whether a call may be made again when nobody knows what became of it:
 * - `safe`: it only reads, or replaces a thing with what was sent (GET and PUT of its
 *   REST route, RFC 9110, 9.2.2; tools of MCP only read; or its idempotency level);
 * - `with_key`: the server makes it once for each `Idempotency-Key`;
 * - `never`: it may do a thing twice. Deletions belong here: the second would be refused
 *   with `not_found`, as if the first had not been.
 */
export type RetrySafety = "safe" | "with_key" | "never";

/** Reads from the descriptor of a method what it says of calling it again. */
export function readRetrySafety(method: DescMethod): RetrySafety {
  if (method.methodKind !== "unary") return "never";
  const { idempotencyKey, mcpTool } = getOption(method, policy);
  if (idempotencyKey) return "with_key";
  const { pattern } = getOption(method, http);
  const isSafe =
    mcpTool !== undefined ||
    pattern.case === "get" ||
    pattern.case === "put" ||
    method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
  return isSafe ? "safe" : "never";
}
