import type { CallableEndpoint } from "../../kernel/callable-endpoint.ts";
import type { CallableVendor } from "../../kernel/callable-vendor.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import type { SoldModel } from "../../kernel/sold-model.ts";
import type { CatalogueModel } from "../../platform/configuration/credits.ts";
import { ApiError, type ErrorCode } from "../../platform/errors.ts";
import type { ListedModel } from "../../platform/endpoint/model-list.ts";
import type { AgentsConfiguration } from "../../platform/configuration/agents.ts";
import type { Warm } from "../../platform/warm.ts";
import type { ControlHeaders } from "../admission/control-headers.ts";
import type { NamedReference } from "../routing/model-reference.ts";
import type { ResolvedModel, ResolvedPool } from "../routing/owned-targets.ts";
import { makePlan, type OwnTarget } from "../routing/plan.ts";
import { isEmbedder } from "../routing/refuse-misfit.ts";

/** Over what a model is reached. */
export type ModelLane = "agent" | "byo" | "custom" | "credits";

/** An entry of the model list. */
export interface ModelEntry {
  readonly id: string;
  /** What people call it. */
  readonly displayName: string;
  /** When it was made, Unix seconds; 0: nobody says. */
  readonly created: number;
  /** Vendor id, slug of an endpoint, or `causeway`. */
  readonly ownedBy: string;
  readonly lane: ModelLane;
  readonly tier: string | undefined;
  /** The code that a call would get now; undefined: it would be let through. */
  readonly reason: ErrorCode | undefined;
  /** The server picks the model that answers. */
  readonly isAutomatic: boolean;
  /** Tokens. */
  readonly contextWindow: number | undefined;
}

/** What the list is made from. */
export interface ModelSources {
  readonly key: Pick<CallerKey, "principal" | "route" | "allowedModels">;
  readonly vendors: readonly CallableVendor[];
  readonly endpoints: readonly CallableEndpoint[];
  readonly catalogue: readonly CatalogueModel[];
  /** Whether the first segment of a model id names a vendor. */
  readonly isVendor: (segment: string) => boolean;
  readonly modelsOf: (vendor: CallableVendor) => Warm<readonly ListedModel[]>;
  /** What a call on credits is refused with now: the wallet or the key's budget is spent. */
  readonly creditRefusal: ErrorCode | undefined;
  /** What the credits catalogue has for a reference. */
  readonly soldFor: (reference: NamedReference) => SoldModel | undefined;
  /** What a model id names. Rejects with 400 for one that names nothing. */
  readonly resolve: (id: string) => Promise<ResolvedModel | ResolvedPool>;
  /** What agents think with. */
  readonly engines: AgentsConfiguration;
}

const noControls: ControlHeaders = {
  route: undefined,
  mode: undefined,
  engine: undefined,
  session: undefined,
  tags: undefined,
  isStrict: false,
};

/** What an entry says where nothing else is known. */
export function plainEntry(id: string) {
  const unsaid = { tier: undefined, contextWindow: undefined };
  return { id, displayName: id, created: 0, isAutomatic: false, ...unsaid };
}

/** Unix seconds. */
export function secondsOf(milliseconds = 0): number {
  return Math.floor(milliseconds / 1000);
}

/** What a call of the key is refused with; `owned` is what of its account's own serves the model. */
export function modelRefusal(
  { key, soldFor, creditRefusal }: ModelSources,
  reference: NamedReference,
  owned: readonly OwnTarget[],
): ErrorCode | undefined {
  if (!key.principal.scopes.has("gateway:invoke")) return "insufficient_scope";
  try {
    const sold = soldFor(reference);
    const input = {
      dialect: "dialect_chat",
      isConversation: !isEmbedder(sold),
      key,
      controls: noControls,
      reference,
      owned,
      sold,
    } as const;
    return makePlan(input).route === "credits" ? creditRefusal : undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}
