import type { DialectId } from "../configuration/configuration.ts";
import type { Secret } from "../crypto/secret.ts";
import type { Dialer } from "../dial/dialer.ts";
import {
  buildCredentialHeaders,
  buildDialectHeaders,
  type UpstreamAuthStyle,
} from "./credential-headers.ts";
import { readUpstreamModelList, type UpstreamListedModel } from "./model-list.ts";
import {
  sendEndpointProbe,
  type EndpointProbeResponse,
  type EndpointProbeFailure,
  type EndpointProbeRequest,
} from "./probe-request.ts";

/** One way to speak to an endpoint. */
export interface EndpointProbeVariant {
  readonly dialect: DialectId;
  readonly authStyle: UpstreamAuthStyle;
}

/** What is probed. */
export interface EndpointProbeTarget {
  /** As `toCallableAddress` makes it. */
  readonly baseUrl: URL;
  readonly poolKey: string;
  readonly credential: Secret;
  /** Extra headers; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A model that the endpoint is known to serve, for the one-token call. */
  readonly model: string | undefined;
  /** Milliseconds that the whole probe may take; ten seconds if omitted. */
  readonly timeoutMs?: number;
}

/** What a probe found. */
export interface EndpointProbeResult {
  /** Undefined: the endpoint answered as its dialect demands. */
  readonly error: EndpointProbeFailure | undefined;
  readonly models: readonly UpstreamListedModel[];
  /** What it speaks; undefined when the probe could not tell. */
  readonly dialect: DialectId | undefined;
}

const probeMs = 10_000;

/**
 * Asks an endpoint for its models, in the first way that it accepts; one without a list
 * (404, 405) is asked for a single token instead. Takes ten seconds at most and never
 * rejects for what the endpoint does.
 */
export async function probeEndpointModels(
  dialer: Dialer,
  target: EndpointProbeTarget,
  attempts: readonly EndpointProbeVariant[],
): Promise<EndpointProbeResult> {
  const signal = AbortSignal.timeout(target.timeoutMs ?? probeMs);
  const send = (request: EndpointProbeRequest): Promise<EndpointProbeResponse> =>
    sendEndpointProbe(dialer, target.poolKey, request, signal);
  const faults: EndpointProbeFailure[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const answer = await probeOnce(send, target, attempt);
    if (answer.error === undefined) {
      const untried = attempts.slice(index + 1);
      return { ...answer, dialect: await spokenDialect(send, target, answer, attempt, untried) };
    }
    faults.push(answer.error);
    if (!isRefusal(answer.error)) break;
  }
  return { error: faults[0], models: [], dialect: undefined };
}

/**
 * The dialect of an endpoint that answered. The form of its list may give another
 * one away, which counts if the endpoint answers to the credential of that one as well.
 */
async function spokenDialect(
  send: Send,
  target: EndpointProbeTarget,
  answer: EndpointProbeResult,
  attempt: EndpointProbeVariant,
  untried: readonly EndpointProbeVariant[],
): Promise<DialectId> {
  const other = untried.find(({ dialect }) => dialect === answer.dialect);
  if (other === undefined) return attempt.dialect;
  const { error: fault } = await probeOnce(send, target, other);
  return fault === undefined ? other.dialect : attempt.dialect;
}

/**
 * Asks an endpoint for its models only: no call is made where there is no list.
 * Takes ten seconds at most and never rejects for what the endpoint does.
 */
export function probeEndpointModelList(
  dialer: Dialer,
  target: EndpointProbeTarget,
  attempt: EndpointProbeVariant,
): Promise<EndpointProbeResult> {
  const signal = AbortSignal.timeout(target.timeoutMs ?? probeMs);
  return askForList(
    (request) => sendEndpointProbe(dialer, target.poolKey, request, signal),
    target,
    attempt,
  );
}

type Send = (request: EndpointProbeRequest) => Promise<EndpointProbeResponse>;

async function probeOnce(
  send: Send,
  target: EndpointProbeTarget,
  attempt: EndpointProbeVariant,
): Promise<EndpointProbeResult> {
  const listed = await askForList(send, target, attempt);
  const hasNoList = listed.error === "http_404" || listed.error === "http_405";
  return hasNoList ? callOnce(send, target, attempt) : listed;
}

async function askForList(
  send: Send,
  target: EndpointProbeTarget,
  attempt: EndpointProbeVariant,
): Promise<EndpointProbeResult> {
  const { fault, json } = await send({
    url: operation(target.baseUrl, "models"),
    headers: requestHeaders(target, attempt),
  });
  if (fault !== undefined) return { error: fault, models: [], dialect: undefined };
  const list = readUpstreamModelList(json);
  if (list === undefined) return { error: "not_json", models: [], dialect: undefined };
  return { error: undefined, ...list };
}

/** The one-token call. A refused request (400, 422) shows as well that the operation is there. */
async function callOnce(
  send: Send,
  target: EndpointProbeTarget,
  attempt: EndpointProbeVariant,
): Promise<EndpointProbeResult> {
  const { path, body } = minimalCalls[attempt.dialect](target.model ?? "default");
  const { fault } = await send({
    url: operation(target.baseUrl, path),
    headers: requestHeaders(target, attempt),
    body,
  });
  const answered = fault === "http_400" || fault === "http_422";
  return { error: answered ? undefined : fault, models: [], dialect: attempt.dialect };
}

const messages = [{ role: "user", content: "hi" }];

/** The smallest call of each dialect. */
const minimalCalls: Readonly<
  Record<DialectId, (model: string) => { readonly path: string; readonly body: unknown }>
> = {
  dialect_chat: (model) => ({ path: "chat/completions", body: { model, messages, max_tokens: 1 } }),
  dialect_messages: (model) => ({ path: "messages", body: { model, messages, max_tokens: 1 } }),
  // The dialect itself wants at least 16 tokens.
  dialect_responses: (model) => ({
    path: "responses",
    body: { model, input: "hi", max_output_tokens: 16, store: false },
  }),
};

function operation(baseUrl: URL, path: string): URL {
  return new URL(`${baseUrl.href}/${path}`);
}

function requestHeaders(target: EndpointProbeTarget, { dialect, authStyle }: EndpointProbeVariant) {
  return {
    accept: "application/json",
    ...buildDialectHeaders(dialect),
    ...target.headers,
    ...buildCredentialHeaders(authStyle, target.credential),
  };
}

/** The endpoint is there and did not like the way it was spoken to: another way may do. */
function isRefusal(fault: EndpointProbeFailure): boolean {
  return /^http_4\d\d$/.test(fault) && fault !== "http_429";
}
