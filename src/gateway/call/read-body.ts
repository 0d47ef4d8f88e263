import { collectRequestBody, type RequestBodyCallback } from "../../platform/collect-body.ts";
import { parseContentLength } from "../../platform/declared-length.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import type { HeldRequestBody } from "../../platform/body-memory-budget.ts";
import type { InboundCallRequest } from "./caller-connection.ts";

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * Reads the body of a model call, see `collectRequestBody`. A body in the wrong form is refused
 * before it is read.
 */
export function collectCallRequestBody(
  request: InboundCallRequest,
  limit: number,
  held: HeldRequestBody,
  done: RequestBodyCallback,
): void {
  try {
    assertReadable(request);
  } catch (error) {
    done(error);
    return;
  }
  const declared = parseContentLength(request.headers["content-length"]);
  collectRequestBody(request, { declared, limit, held }, done);
}

function assertReadable({ headers }: InboundCallRequest): void {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw invalidRequestError(
      "content-encoding",
      "The body must not be compressed: send it as it is.",
    );
  }
  const contentType = headers["content-type"];
  if (contentType === undefined || jsonType.test(contentType)) return;
  throw invalidRequestError("content-type", "`content-type` must be `application/json`.");
}
