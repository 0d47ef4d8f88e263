import type { IncomingHttpHeaders } from "node:http";
import { invalidRequestError } from "../../platform/errors.ts";
import type { CallTags } from "../../domain/call-tags.ts";
import type { ModelOrAgentMode, PaymentRoutePreference } from "../../domain/caller-key.ts";
import { parseCallTagsHeader } from "./read-tags.ts";

/** What a caller asks of the gateway beside the body. */
export interface CallControlHeaders {
  /** Undefined here and below: not sent, the key's own setting holds. */
  readonly route: PaymentRoutePreference | undefined;
  readonly mode: ModelOrAgentMode | undefined;
  readonly engine: "omni" | undefined;
  readonly session: string | undefined;
  readonly tags: CallTags | undefined;
  /** Losses of a transcoding are refused instead of listed. */
  readonly isStrict: boolean;
}

const routes = ["byo", "credits", "auto"] as const;
const modes = ["model", "agent"] as const;
const engines = ["omni"] as const;
const switches = ["true", "false"] as const;

/** Reads the `x-svc-*` headers; throws 400 `invalid_request` with the header as `param`. */
export function readCallControlHeaders(headers: IncomingHttpHeaders): CallControlHeaders {
  return {
    route: oneOf("x-svc-route", headers["x-svc-route"], routes),
    mode: oneOf("x-svc-mode", headers["x-svc-mode"], modes),
    engine: oneOf("x-svc-engine", headers["x-svc-engine"], engines),
    session: readSession(headers["x-svc-session"]),
    tags: parseCallTagsHeader(headers["x-svc-tags"]),
    isStrict: oneOf("x-svc-strict", headers["x-svc-strict"], switches) === "true",
  };
}

function oneOf<Value extends string>(
  name: string,
  sent: string | string[] | undefined,
  values: readonly Value[],
): Value | undefined {
  if (sent === undefined) return undefined;
  const value = values.find((candidate) => candidate === sent);
  if (value !== undefined) return value;
  throw invalidRequestError(
    name,
    `\`${name}\` must be ${values.map((v) => `\`${v}\``).join(" or ")}.`,
  );
}

function readSession(sent: string | string[] | undefined): string | undefined {
  if (sent === undefined) return undefined;
  if (typeof sent === "string" && /^\w{1,59}$/.test(sent)) return sent;
  throw invalidRequestError(
    "x-svc-session",
    "`x-svc-session` must be 1 to 59 letters, digits or underscores.",
  );
}
