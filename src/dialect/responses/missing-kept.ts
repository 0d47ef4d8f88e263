import { invalidRequest, type ApiError } from "../../platform/errors.ts";

/** The refusal of a `previous_response_id` that is not kept for the caller's account. */
export function missingResponse(id: string): ApiError {
  return invalidRequest(
    "previous_response_id",
    `There is no kept response \`${id}\` on this account. Send the whole conversation in \`input\`.`,
  );
}

/** The refusal of an item of the input, at `path`, that names one which is not kept. */
export function missingItem(path: string, id: string): ApiError {
  return invalidRequest(
    path,
    `There is no kept item \`${id}\` on this account. Send the item itself.`,
  );
}
