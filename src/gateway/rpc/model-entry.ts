import type { CallableCustomEndpoint } from "../../domain/callable-endpoint.ts";
import type { CallableVendor } from "../../domain/callable-vendor.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import type { CreditsCatalogModel } from "../../domain/credits-model.ts";
import type { CreditsCatalogEntry } from "../../platform/configuration/credits.ts";
import { ApiError, type ErrorCode } from "../../platform/errors.ts";
import type { UpstreamListedModel } from "../../platform/endpoint/model-list.ts";
import type { AgentsConfiguration } from "../../platform/configuration/agents.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import type { CallControlHeaders } from "../admission/control-headers.ts";
import type { DirectModelReference } from "../routing/model-reference.ts";
import type { ResolvedModel, ResolvedAliasPool } from "../routing/account-targets.ts";
import { planCallTarget, type CallableUpstream } from "../routing/plan.ts";
import { isEmbeddingModel } from "../routing/assert-compatible.ts";

/** Over what a model is reached. */
export type ModelAccessRoute = "agent" | "byo" | "custom" | "credits";

/** An entry of the model list. */
export interface GatewayModelEntry {
  readonly id: string;
  /** What people call it. */
  readonly displayName: string;
  /** When it was made, Unix seconds; 0: nobody says. */
  readonly created: number;
  /** Vendor id, slug of an endpoint, or `causeway`. */
  readonly ownedBy: string;
  readonly lane: ModelAccessRoute;
  readonly tier: string | undefined;
  /** The code that a call would get now; undefined: it would be let through. */
  readonly reason: ErrorCode | undefined;
  /** The server picks the model that answers. */
  readonly isAutomatic: boolean;
  /** Tokens. */
  readonly contextWindow: number | undefined;
}

/** What the list is made from. */
export interface ModelListSources {
  readonly key: Pick<CallerKey, "principal" | "route" | "allowedModels">;
  readonly vendors: readonly CallableVendor[];
  readonly endpoints: readonly CallableCustomEndpoint[];
  readonly catalog: readonly CreditsCatalogEntry[];
  /** Whether the first segment of a model id names a vendor. */
  readonly isVendor: (segment: string) => boolean;
  readonly modelsOf: (vendor: CallableVendor) => MaybePromise<readonly UpstreamListedModel[]>;
  /** What a call on credits is refused with now: the wallet or the key's budget is spent. */
  readonly creditsError: ErrorCode | undefined;
  /** What the credits catalogue has for a reference. */
  readonly creditsModelFor: (reference: DirectModelReference) => CreditsCatalogModel | undefined;
  /** What a model id names. Rejects with 400 for one that names nothing. */
  readonly resolve: (id: string) => Promise<ResolvedModel | ResolvedAliasPool>;
  /** What agents think with. */
  readonly engines: AgentsConfiguration;
}

const noControls: CallControlHeaders = {
  route: undefined,
  mode: undefined,
  engine: undefined,
  session: undefined,
  tags: undefined,
  isStrict: false,
};

/** What an entry says where nothing else is known. */
export function buildModelEntryDefaults(id: string) {
  const unsaid = { tier: undefined, contextWindow: undefined };
  return { id, displayName: id, created: 0, isAutomatic: false, ...unsaid };
}

/** Unix seconds. */
export function millisecondsToUnixSeconds(milliseconds = 0): number {
  return Math.floor(milliseconds / 1000);
}

/** What a call of the key is refused with; `owned` is what of its account's own serves the model. */
export function getModelUnavailableError(
  { key, creditsModelFor: soldFor, creditsError: creditRefusal }: ModelListSources,
  reference: DirectModelReference,
  owned: readonly CallableUpstream[],
): ErrorCode | undefined {
  if (!key.principal.scopes.has("gateway:invoke")) return "insufficient_scope";
  try {
    const sold = soldFor(reference);
    const input = {
      dialect: "dialect_chat",
      isConversation: !isEmbeddingModel(sold),
      key,
      controls: noControls,
      reference,
      accountTargets: owned,
      creditsModel: sold,
    } as const;
    return planCallTarget(input).route === "credits" ? creditRefusal : undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}
