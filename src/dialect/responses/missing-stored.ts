import { ApiError, invalidRequestError } from "../../platform/errors.ts";

/**
 * The refusal of a `previous_response_id` that is not kept for the caller's account. Its
 * code is the vendor's: clients send the whole conversation when they read it.
 */
export function missingResponseError(id: string): ApiError {
  return new ApiError(
    "invalid_request",
    `There is no kept response \`${id}\` on this account. Send the whole conversation in \`input\`.`,
    { param: "previous_response_id", vendorCode: "previous_response_not_found" },
  );
}

/** The refusal of an item of the input, at `path`, that names one which is not kept. */
export function missingItemError(path: string, id: string): ApiError {
  return invalidRequestError(
    path,
    `There is no kept item \`${id}\` on this account. Send the item itself.`,
  );
}
