import type { ModelCapabilities } from "../../dialect/capabilities.ts";
import type { RequestDecodingContext } from "../../dialect/codec.ts";
import { inferModelCapabilities } from "../../dialect/model-capabilities.ts";
import type { ReasoningEnvelopeSealer } from "../../dialect/reasoning-envelope.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { ApiError } from "../../platform/errors.ts";
import { resolveCapabilities } from "../transcode/resolve-capabilities.ts";
import type { CallControlHeaders } from "../admission/control-headers.ts";
import { getUpstreamTarget } from "../upstream/call-target.ts";
import { noopMemoryReserver } from "../../platform/hold-memory.ts";
import {
  createCachedReasoningLookup,
  type TranscodeDependencies,
} from "../transcode/prepare-transcode.ts";
import {
  requireFirstTargetModel,
  type ModelResolutionLookups,
} from "../routing/account-targets.ts";
import { planCallTarget, speaksDialectNatively, type PlannedCallTarget } from "../routing/plan.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import { assertResolvableModelId, resolveModelId } from "../routing/resolve-model.ts";

/** Where a preview finds what a call would find. */
export interface TranscodePreviewDependencies extends Pick<
  TranscodeDependencies,
  "envelopeOf" | "summaries" | "reasoningCache"
> {
  /** Those that dial nobody: a preview makes no call. */
  readonly directories: ModelResolutionLookups;
}

/** What a previewed call is between. */
export interface TranscodePreviewInput {
  readonly from: DialectId;
  readonly to: DialectId;
  /** As the caller names it. */
  readonly model: string;
}

/** What is known of the upstream that a call would reach. */
export interface TranscodePreviewUpstream {
  /** The id that the upstream knows. */
  readonly model: string;
  readonly capabilities: ModelCapabilities;
  readonly envelope: ReasoningEnvelopeSealer;
  readonly reasoning: RequestDecodingContext["reasoning"];
}

/** Nothing is known of the upstream, so nothing that one sealed can be opened. */
const noEnvelope: ReasoningEnvelopeSealer = { seal: () => "", open: () => undefined };

/**
 * The upstream that the key's call would go to, if it has one that speaks `to`;
 * else one of which nothing is known but the model's family. Rejects with the 400
 * that a call would get for an alias that there is not.
 */
export async function findTranscodePreviewUpstream(
  dependencies: TranscodePreviewDependencies,
  key: CallerKey,
  call: TranscodePreviewInput,
): Promise<TranscodePreviewUpstream> {
  await assertResolvableModelId(dependencies.directories, key.principal.accountId, call.model);
  const plan = await planOf(dependencies.directories, key, call);
  if (plan === undefined || !speaksDialectNatively(plan.target, call.to))
    return unknownTarget(call);
  const { target: owned, upstreamModel: model } = plan;
  const target = getUpstreamTarget(owned);
  const { accountId, keyId } = key.principal;
  return {
    model,
    capabilities: resolveCapabilities(owned, target, call.to, model),
    envelope: dependencies.envelopeOf(target.name, model),
    reasoning: createCachedReasoningLookup(
      dependencies.reasoningCache,
      { accountId, keyId },
      call.from,
      call.to,
      // The memory of an account is small, and the preview takes each entry once.
      noopMemoryReserver,
    ),
  };
}

const noControlHeaders: CallControlHeaders = {
  route: undefined,
  mode: "model",
  engine: undefined,
  session: undefined,
  tags: undefined,
  isStrict: false,
};

/** Undefined: a call would be refused, for whatever reason; the preview is of the body alone. */
async function planOf(
  directories: ModelResolutionLookups,
  key: CallerKey,
  { from, model }: TranscodePreviewInput,
): Promise<PlannedCallTarget | undefined> {
  try {
    const resolved = requireFirstTargetModel(
      await resolveModelId(directories, key.principal.accountId, model),
    );
    const asked = { dialect: from, isConversation: true, key, controls: noControlHeaders };
    return planCallTarget({ ...asked, ...resolved });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function unknownTarget({ model, to: dialect }: TranscodePreviewInput): TranscodePreviewUpstream {
  const known = { model, dialect, firstParty: false, maxOutputTokens: undefined };
  return {
    model,
    capabilities: inferModelCapabilities(known),
    envelope: noEnvelope,
    reasoning: undefined,
  };
}
