import type { CallableCustomEndpoint } from "../../domain/callable-endpoint.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import type { ResponseModelFinder } from "../../domain/call-log-entry.ts";
import { ApiError } from "../../platform/errors.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import {
  discardUpstreamResponse,
  type UpstreamRequestDependencies,
} from "../upstream/send-upstream-request.ts";
import { getUpstreamTarget, type ResolvedUpstream } from "../upstream/call-target.ts";
import { UpstreamFailureError } from "../upstream/upstream-request-error.ts";
import type { LinkedVendorLookup } from "../ports.ts";
import {
  requireRelayableResponse,
  type RelayableResponse,
} from "../pass-through/pass-through-response.ts";
import { ensureFreshTargetAccessToken } from "../routing/fresh-token.ts";
import { getCanonicalUpstreamId, type CallableUpstream } from "../routing/plan.ts";
import { fetchUpstreamResponseObject } from "./look-up-response.ts";
import {
  sendStoredResponseQueryToUpstream,
  isWholeResponseQuery,
  type UpstreamResponseQuery,
} from "./response-query.ts";

/** Where answers that are not kept here may be. */
export interface UpstreamResponseQueryDependencies extends UpstreamRequestDependencies {
  readonly vendors: Pick<LinkedVendorLookup, "linked">;
  /** The account's endpoints, oldest first. */
  readonly endpoints: (accountId: string) => MaybePromise<readonly CallableCustomEndpoint[]>;
  readonly calls: ResponseModelFinder;
}

const idPattern = /^(?!turn_)[A-Za-z0-9_-]{1,128}$/;

/**
 * Asks the account's own upstreams that speak responses: the one that gave the answer
 * where that is known, else all of them in link order, and what is to be changed only
 * where a GET knows the id. Throws 404, 502, or what the upstream itself refused with.
 */
export async function forwardResponseQueryToUpstreams(
  dependencies: UpstreamResponseQueryDependencies,
  key: CallerKey,
  question: UpstreamResponseQuery,
): Promise<RelayableResponse> {
  const { id } = question;
  if (!idPattern.test(id) || key.route === "credits") throw unknownResponse(id);
  const { accountId } = key.principal;
  const model = await dependencies.calls.findResponseModel(accountId, id);
  const upstreams = await responsesUpstreams(dependencies, accountId);
  if (model === undefined) return search(dependencies, upstreams, key, question);
  const remembered = upstreams.filter((upstream) =>
    model.startsWith(`${getCanonicalUpstreamId(upstream)}/`),
  );
  const [alone] = remembered;
  return alone === undefined || key.allowedModels.length > 0
    ? search(dependencies, remembered, key, question)
    : queryUpstream(
        dependencies,
        getUpstreamTarget(await ensureFreshTargetAccessToken(alone)),
        question,
      );
}

async function responsesUpstreams(
  { vendors, endpoints }: UpstreamResponseQueryDependencies,
  accountId: string,
): Promise<readonly CallableUpstream[]> {
  const linked = await vendors.linked(accountId);
  const custom = await endpoints(accountId);
  return [
    ...linked
      .filter(({ dialects }) => dialects.includes("dialect_responses"))
      .map((vendor) => ({ kind: "vendor", vendor }) as const),
    ...custom
      .filter(({ dialect }) => dialect === "dialect_responses")
      .map((endpoint) => ({ kind: "custom", endpoint }) as const),
  ];
}

async function queryUpstream(
  dependencies: UpstreamResponseQueryDependencies,
  target: ResolvedUpstream,
  question: UpstreamResponseQuery,
): Promise<RelayableResponse> {
  const answer = await sendStoredResponseQueryToUpstream(dependencies, target, question);
  if (answer.status !== 404) return requireRelayableResponse(target, answer);
  discardUpstreamResponse(answer);
  throw unknownResponse(question.id);
}

/** In link order, until one knows the id. */
async function search(
  dependencies: UpstreamResponseQueryDependencies,
  upstreams: readonly CallableUpstream[],
  key: CallerKey,
  question: UpstreamResponseQuery,
): Promise<RelayableResponse> {
  const silences: string[] = [];
  for (const upstream of upstreams) {
    const looked = await lookUpAt(dependencies, upstream, key, question);
    if (looked?.silence !== undefined) silences.push(looked.silence);
    else if (looked !== undefined) return toResponse(dependencies, looked, question);
  }
  throw silences[0] === undefined ? unknownResponse(question.id) : rejectUnexpected(silences[0]);
}

/** What one upstream has, or why it could not say; undefined: it does not know the id. */
type LookUpResult =
  | {
      readonly silence?: undefined;
      readonly target: ResolvedUpstream;
      readonly found: RelayableResponse;
    }
  | { readonly silence: string };

async function lookUpAt(
  dependencies: UpstreamResponseQueryDependencies,
  upstream: CallableUpstream,
  key: CallerKey,
  question: UpstreamResponseQuery,
): Promise<LookUpResult | undefined> {
  try {
    const target = getUpstreamTarget(await ensureFreshTargetAccessToken(upstream));
    const found = await fetchUpstreamResponseObject(dependencies, target, question, key);
    return found && { target, found };
  } catch (error) {
    // A login that has ended is a refusal of ours.
    const isSilent = error instanceof UpstreamFailureError || error instanceof ApiError;
    if (!isSilent) throw error;
    return { silence: `\`${getCanonicalUpstreamId(upstream)}\` could not say: ${error.message}` };
  }
}

async function toResponse(
  dependencies: UpstreamResponseQueryDependencies,
  { target, found }: Extract<LookUpResult, { found: RelayableResponse }>,
  question: UpstreamResponseQuery,
): Promise<RelayableResponse> {
  if (isWholeResponseQuery(question)) return found;
  discardUpstreamResponse(found);
  return queryUpstream(dependencies, target, question);
}

function rejectUnexpected(reason: string): ApiError {
  const message = `No upstream that could say knows the response, and ${reason}`;
  return new ApiError("upstream_unreachable", message);
}

/** The refusal of an id that is kept neither here nor by an upstream of the account. */
function unknownResponse(id: string): ApiError {
  return new ApiError("not_found", `There is no stored response \`${id.slice(0, 80)}\`.`);
}
