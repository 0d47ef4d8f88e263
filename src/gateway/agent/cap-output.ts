import { resolveCapabilities } from "../transcode/resolve-capabilities.ts";
import { readMaxOutputTokens } from "../call/prompt-text.ts";
import {
  scanCallBody,
  parseSmallJsonMembers,
  type CallRequestBody,
} from "../call/read-call-body.ts";
import { replaceJsonMembers } from "../call/replace-members.ts";
import { getUpstreamTarget } from "../upstream/call-target.ts";
import type { PlannedCallTarget } from "../routing/plan.ts";

/**
 * The body of an agent's model call, of the responses dialect, with no more output asked for than
 * the model on this route is known to give: what an agent may say is more than some models can.
 */
export function capOutputTokens(plan: PlannedCallTarget, body: CallRequestBody): CallRequestBody {
  const asked = askedOutput(body.bytes);
  const most = maxOutputOf(plan);
  if (asked === undefined || asked <= most) return body;
  const capped = scanCallBody(replaceJsonMembers(body.bytes, { max_output_tokens: most }));
  return { ...body, ...capped, parsed: undefined };
}

/** Reads the one member: the rest of the body is the agent's whole conversation. */
function askedOutput(bytes: Buffer): number | undefined {
  return readMaxOutputTokens(
    "dialect_responses",
    parseSmallJsonMembers(bytes, ["max_output_tokens"]),
  );
}

function maxOutputOf(plan: PlannedCallTarget): number {
  const { target, dialect, upstreamModel } = plan;
  const known = resolveCapabilities(target, getUpstreamTarget(target), dialect, upstreamModel);
  const sold = plan.route === "credits" ? plan.sold.maxOutputTokens : undefined;
  const unknown = Number.POSITIVE_INFINITY;
  return Math.min(known.maxOutputTokens ?? unknown, sold ?? unknown);
}
