import { invalidRequestError } from "../../platform/errors.ts";
import type { RequestFieldReader } from "../body-reader.ts";

const vendorState = {
  conversation: "Send the whole conversation in `input`, or continue with `previous_response_id`.",
  background: "Ask for a stream, or wait for the answer.",
  prompt: "Send the prompt itself in `instructions` and `input`.",
};

/** Throws 400 for state that only the vendor has: an answer without it would be another answer. */
export function rejectResponsesVendorStateReferences(body: RequestFieldReader): void {
  for (const [name, advice] of Object.entries(vendorState)) {
    if (!body.has(name) || body.value[name] === false) continue;
    throw invalidRequestError(name, `\`${name}\` is not kept here. ${advice}`);
  }
}
