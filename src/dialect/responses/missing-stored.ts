import { ApiError, invalidRequestError } from "../../platform/errors.ts";

/**
 * The refusal of a `previous_response_id` that is not stored for the caller's account. Its
 * code is the vendor's: clients send the whole conversation when they read it.
 */
export function previousResponseNotFoundError(id: string): ApiError {
  return new ApiError(
    "invalid_request",
    `There is no stored response \`${shown(id)}\` on this account. Send the whole conversation in \`input\`.`,
    { param: "previous_response_id", vendorCode: "previous_response_not_found" },
  );
}

/** A message quotes the beginning of what a caller sent as an id, which may be megabytes. */
function shown(id: string): string {
  return id.slice(0, 80);
}

/** The refusal of a `previous_response_id` whose response is not finished: its output is not known. */
export function unfinishedPreviousResponseError(id: string): ApiError {
  return invalidRequestError(
    "previous_response_id",
    `The response \`${id}\` has not finished. Poll it with GET /v1/responses/{id}, and continue from it when its \`status\` is \`completed\`.`,
  );
}

/** The refusal of an item of the input, at `path`, that names one that is not stored. */
export function storedItemNotFoundError(path: string, id: string): ApiError {
  return invalidRequestError(
    path,
    `There is no stored item \`${shown(id)}\` on this account. Send the item itself.`,
  );
}
