import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { isModelAllowed } from "./allows-model.ts";
import type { CallControlHeaders } from "../admission/control-headers.ts";
import type { DirectModelReference } from "./model-reference.ts";
import { assertModelSupportsOperation } from "./assert-compatible.ts";
import type { CallableCustomEndpoint } from "../../domain/callable-endpoint.ts";
import type { CallableVendor } from "../../domain/callable-vendor.ts";
import type { CallerKey, PaymentRoutePreference } from "../../domain/caller-key.ts";
import type { CreditsCatalogModel } from "../../domain/credits-model.ts";

/** A place to dial, as the account owns it. */
export type CallableUpstream =
  | { readonly kind: "custom"; readonly endpoint: CallableCustomEndpoint }
  | { readonly kind: "vendor"; readonly vendor: CallableVendor };

/** Everything a plan is made from. */
export interface CallPlanInput {
  readonly dialect: DialectId;
  /** False: it is neither transcoded nor taken by an agent. */
  readonly isConversation: boolean;
  readonly key: Pick<CallerKey, "route" | "allowedModels">;
  readonly controls: CallControlHeaders;
  readonly reference: DirectModelReference;
  /** What of the account's own serves the model, in order of preference. */
  readonly accountTargets: readonly CallableUpstream[];
  /** What the credits catalogue has for the model. */
  readonly creditsModel: CreditsCatalogModel | undefined;
}

/** Where a call goes, and who pays. */
export type PlannedCallTarget = PlannedTarget &
  ({ readonly route: "byo" } | { readonly route: "credits"; readonly sold: CreditsCatalogModel });

interface PlannedTarget {
  readonly lane: "pass-through" | "transcode";
  /** What the upstream is spoken to in. */
  readonly dialect: DialectId;
  /** `custom/<slug>/<id>` or `<vendor>/<id>`: what `allowed_models` are matched against. */
  readonly canonicalId: string;
  /** The id that the upstream knows. */
  readonly upstreamModel: string;
  readonly target: CallableUpstream;
}

/**
 * Decides where a call goes, from values only. Throws the refusal of a model, route
 * or vendor that the caller cannot use. The mode has been heeded before: what an
 * agent answers is planned for each of its model calls.
 */
export function planCallTarget(input: CallPlanInput): PlannedCallTarget {
  const plan = chooseRoute(input);
  if (!isModelAllowed(input.key.allowedModels, plan.canonicalId))
    throw modelNotAllowedError(plan.canonicalId);
  assertModelSupportsOperation(input.isConversation, plan);
  return plan;
}

/** `auto` is the caller's own credential where there is one, else credits. */
function chooseRoute(input: CallPlanInput): PlannedCallTarget {
  const { key, controls, reference, accountTargets: owned, creditsModel: sold } = input;
  const route: PaymentRoutePreference = controls.route ?? key.route;
  if (route === "credits") return planCredits(input);
  const [target] = owned;
  if (target !== undefined) return planByo(target, input);
  const isSold = route === "auto" && reference.kind !== "custom" && sold !== undefined;
  if (isSold) return planCredits(input);
  throw noAccountTargetError(input);
}

function planCredits({
  reference,
  creditsModel: sold,
  dialect: asked,
}: CallPlanInput): PlannedCallTarget {
  if (reference.kind === "custom") {
    throw invalidRequestError(
      "x-svc-route",
      "A custom endpoint is never paid from credits; use the route `byo` or `auto`.",
    );
  }
  if (sold === undefined) {
    throw new ApiError(
      "no_vendor_credential",
      "That model cannot be paid from credits on this server: it is not in the catalogue, or the operator has no key for its vendor. Use the route `byo` or `auto`, or a model that GET /v1/models calls available in the lane `credits`.",
    );
  }
  const target: CallableUpstream = { kind: "vendor", vendor: sold.vendor };
  const planned = { canonicalId: sold.id, upstreamModel: sold.model, target };
  return { ...planned, ...laneTo(target, asked), route: "credits", sold };
}

function noAccountTargetError({ reference }: CallPlanInput): ApiError {
  switch (reference.kind) {
    case "custom":
      return new ApiError(
        "no_custom_upstream",
        `There is no custom endpoint \`${reference.slug}\` on this account; register it with POST /v1/upstreams.`,
      );
    case "vendor":
      return new ApiError(
        "no_vendor_credential",
        `No credential is linked for \`${reference.vendor}\`; link one with PUT /v1/vendors/${reference.vendor}/credential.`,
      );
    case "bare":
      return new ApiError(
        "no_vendor_credential",
        `No linked vendor is known to serve \`${reference.model}\`; link one, or name it as \`<vendor>/<id>\` or \`custom/<slug>/<id>\`. GET /v1/models lists what this key can name.`,
      );
    case "agent":
      return invalidRequestError("model", `\`${reference.id}\` is an agent, and no model itself.`);
  }
}

function planByo(
  target: CallableUpstream,
  { reference, dialect: asked }: CallPlanInput,
): PlannedCallTarget {
  if (target.kind === "vendor") assertVendorLoginUsable(target.vendor);
  const upstreamModel = "model" in reference ? reference.model : "";
  const canonicalId = `${getCanonicalUpstreamId(target)}/${upstreamModel}`;
  const { lane, dialect } = laneTo(target, asked);
  return { lane, dialect, route: "byo", canonicalId, upstreamModel, target };
}

/** Throws 403 `no_vendor_credential` for a login that its vendor renews no more. */
export function assertVendorLoginUsable({ id, login }: CallableVendor): void {
  if (login?.hasEnded !== true) return;
  throw new ApiError(
    "no_vendor_credential",
    `The login for \`${id}\` has ended: its vendor renews it no more. Log in there again and link it anew with PUT /v1/vendors/${id}/credential.`,
  );
}

function laneTo(
  target: CallableUpstream,
  asked: DialectId,
): Pick<PlannedCallTarget, "lane" | "dialect"> {
  const dialect = upstreamDialect(target, asked);
  return { lane: dialect === asked ? "pass-through" : "transcode", dialect };
}

/** The caller's own dialect wins, else the first that the upstream names. */
function upstreamDialect(target: CallableUpstream, asked: DialectId): DialectId {
  if (target.kind === "custom") return target.endpoint.dialect;
  const { dialects } = target.vendor;
  return dialects.includes(asked) ? asked : (dialects[0] ?? asked);
}

/** `custom/<slug>` or the vendor's id. */
export function getCanonicalUpstreamId(target: CallableUpstream): string {
  return target.kind === "custom" ? `custom/${target.endpoint.slug}` : target.vendor.id;
}

/** Whether an upstream can be spoken to in a dialect. */
export function speaksDialectNatively(target: CallableUpstream, dialect: DialectId): boolean {
  return upstreamDialect(target, dialect) === dialect;
}

/** The refusal of a model, or an agent, that `allowed_models` leave out. */
export function modelNotAllowedError(canonicalId: string): ApiError {
  return new ApiError(
    "model_not_allowed",
    `This key may not use \`${canonicalId}\`: use a model that GET /v1/models calls available, or change the key's \`allowed_models\`.`,
  );
}
