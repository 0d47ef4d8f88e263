import type { ApiError } from "../../platform/errors.ts";

/** Renders a refusal as the flat error body of the seeds. */
export type ErrorBody = (error: ApiError, requestId: string) => object;
