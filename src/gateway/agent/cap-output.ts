import { capabilitiesOf } from "../transcode/capabilities-of.ts";
import { outputCapOf } from "../call/prompt-text.ts";
import { readCallBody, type CallBody } from "../call/read-call-body.ts";
import { withMembers } from "../call/with-members.ts";
import { callTargetOf } from "../dial/call-target.ts";
import type { Plan } from "../routing/plan.ts";
import { parseBody } from "../transcode/prepare-transcode.ts";

/**
 * The body of an agent's model call, of the responses dialect, with no more output asked for than
 * the model on this route is known to give: what an agent may say is more than some models can.
 */
export function withModelsCap(plan: Plan, body: CallBody): CallBody {
  const asked = outputCapOf("dialect_responses", parseBody(body.bytes));
  const most = mostOutputOf(plan);
  if (asked === undefined || asked <= most) return body;
  return { ...body, ...readCallBody(withMembers(body.bytes, { max_output_tokens: most })) };
}

function mostOutputOf(plan: Plan): number {
  const { target, dialect, upstreamModel } = plan;
  const known = capabilitiesOf(target, callTargetOf(target), dialect, upstreamModel);
  const sold = plan.route === "credits" ? plan.sold.maxOutputTokens : undefined;
  const unknown = Number.POSITIVE_INFINITY;
  return Math.min(known.maxOutputTokens ?? unknown, sold ?? unknown);
}
