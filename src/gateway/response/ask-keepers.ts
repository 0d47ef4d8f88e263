import type { CallableEndpoint } from "../../kernel/callable-endpoint.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import type { CallFinder } from "../../kernel/kept-call.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Warm } from "../../platform/warm.ts";
import { dropAnswer, type AskDependencies } from "../dial/ask-upstream.ts";
import { callTargetOf, type CallTarget } from "../dial/call-target.ts";
import { UpstreamFailure } from "../dial/upstream-failure.ts";
import type { VendorLookup } from "../ports.ts";
import { passedAnswer, type PassedAnswer } from "../relay/passed-answer.ts";
import { liveTarget } from "../routing/live-token.ts";
import { routeNameOf, type OwnTarget } from "../routing/plan.ts";
import { lookUpResponse } from "./look-up-response.ts";
import { askAbout, isPlain, type ResponseQuestion } from "./response-question.ts";

/** Where answers that are not kept here may be. */
export interface KeeperDependencies extends AskDependencies {
  readonly vendors: Pick<VendorLookup, "linked">;
  /** The account's endpoints, oldest first. */
  readonly endpoints: (accountId: string) => Warm<readonly CallableEndpoint[]>;
  readonly calls: CallFinder;
}

const idForm = /^(?!turn_)[A-Za-z0-9_-]{1,128}$/;

/**
 * Asks the account's own upstreams that speak responses: the one that gave the answer
 * where that is known, else all of them in link order, and what is to be changed only
 * where a GET knows the id. Throws 404, 502, or what the upstream itself refused with.
 */
export async function askKeepers(
  dependencies: KeeperDependencies,
  key: CallerKey,
  question: ResponseQuestion,
): Promise<PassedAnswer> {
  const { id } = question;
  if (!idForm.test(id) || key.route === "credits") throw unknownResponse(id);
  const { accountId } = key.principal;
  const model = await dependencies.calls.modelOfResponse(accountId, id);
  const upstreams = await responsesUpstreams(dependencies, accountId);
  if (model === undefined) return search(dependencies, upstreams, key, question);
  const remembered = upstreams.filter((upstream) => model.startsWith(`${routeNameOf(upstream)}/`));
  const [alone] = remembered;
  return alone === undefined || key.allowedModels.length > 0
    ? search(dependencies, remembered, key, question)
    : askKeeper(dependencies, callTargetOf(await liveTarget(alone)), question);
}

async function responsesUpstreams(
  { vendors, endpoints }: KeeperDependencies,
  accountId: string,
): Promise<readonly OwnTarget[]> {
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

async function askKeeper(
  dependencies: KeeperDependencies,
  target: CallTarget,
  question: ResponseQuestion,
): Promise<PassedAnswer> {
  const answer = await askAbout(dependencies, target, question);
  if (answer.status !== 404) return passedAnswer(target, answer);
  dropAnswer(answer);
  throw unknownResponse(question.id);
}

/** In link order, until one knows the id. */
async function search(
  dependencies: KeeperDependencies,
  upstreams: readonly OwnTarget[],
  key: CallerKey,
  question: ResponseQuestion,
): Promise<PassedAnswer> {
  const silences: string[] = [];
  for (const upstream of upstreams) {
    const looked = await look(dependencies, upstream, key, question);
    if (looked?.silence !== undefined) silences.push(looked.silence);
    else if (looked !== undefined) return answerTo(dependencies, looked, question);
  }
  throw silences[0] === undefined ? unknownResponse(question.id) : refuseUnasked(silences[0]);
}

/** What one upstream has, or why it could not say; undefined: it does not know the id. */
type Looked =
  | { readonly silence?: undefined; readonly target: CallTarget; readonly found: PassedAnswer }
  | { readonly silence: string };

async function look(
  dependencies: KeeperDependencies,
  upstream: OwnTarget,
  key: CallerKey,
  question: ResponseQuestion,
): Promise<Looked | undefined> {
  try {
    const target = callTargetOf(await liveTarget(upstream));
    const found = await lookUpResponse(dependencies, target, question, key);
    return found && { target, found };
  } catch (error) {
    // A login that has ended is a refusal of ours.
    const isSilent = error instanceof UpstreamFailure || error instanceof ApiError;
    if (!isSilent) throw error;
    return { silence: `\`${routeNameOf(upstream)}\` could not say: ${error.message}` };
  }
}

async function answerTo(
  dependencies: KeeperDependencies,
  { target, found }: Extract<Looked, { found: PassedAnswer }>,
  question: ResponseQuestion,
): Promise<PassedAnswer> {
  if (isPlain(question)) return found;
  dropAnswer(found);
  return askKeeper(dependencies, target, question);
}

function refuseUnasked(reason: string): ApiError {
  const message = `No upstream that could say knows the response, and ${reason}`;
  return new ApiError("upstream_unreachable", message);
}

/** The refusal of an id that is kept neither here nor by an upstream of the account. */
function unknownResponse(id: string): ApiError {
  return new ApiError("not_found", `There is no kept response \`${id.slice(0, 80)}\`.`);
}
