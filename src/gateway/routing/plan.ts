import { ApiError, invalidRequest } from "../../platform/errors.ts";
import type { Dialect } from "../../platform/configuration/configuration.ts";
import { allowsModel } from "./allows-model.ts";
import type { ControlHeaders } from "../admission/control-headers.ts";
import type { NamedReference } from "./model-reference.ts";
import { refuseMisfit } from "./refuse-misfit.ts";
import type { CallableEndpoint } from "../../kernel/callable-endpoint.ts";
import type { CallableVendor } from "../../kernel/callable-vendor.ts";
import type { CallerKey, CallRoute } from "../../kernel/caller-key.ts";
import type { SoldModel } from "../../kernel/sold-model.ts";

/** A place to dial, as the account owns it. */
export type OwnTarget =
  | { readonly kind: "custom"; readonly endpoint: CallableEndpoint }
  | { readonly kind: "vendor"; readonly vendor: CallableVendor };

/** Everything a plan is made from. */
export interface PlanInput {
  readonly dialect: Dialect;
  /** False: it is neither transcoded nor taken by an agent. */
  readonly isConversation: boolean;
  readonly key: Pick<CallerKey, "route" | "allowedModels">;
  readonly controls: ControlHeaders;
  readonly reference: NamedReference;
  /** What of the account's own serves the model, in order of preference. */
  readonly owned: readonly OwnTarget[];
  /** What the credits catalogue has for the model. */
  readonly sold: SoldModel | undefined;
}

/** Where a call goes, and who pays. */
export type Plan = PlannedTarget &
  ({ readonly route: "byo" } | { readonly route: "credits"; readonly sold: SoldModel });

interface PlannedTarget {
  readonly lane: "pass-through" | "transcode";
  /** What the upstream is spoken to in. */
  readonly dialect: Dialect;
  /** `custom/<slug>/<id>` or `<vendor>/<id>`: what `allowed_models` are matched against. */
  readonly canonicalId: string;
  /** The id that the upstream knows. */
  readonly upstreamModel: string;
  readonly target: OwnTarget;
}

/**
 * Decides where a call goes, from values only. Throws the refusal of a model, route
 * or vendor that the caller cannot use. The mode has been heeded before: what an
 * agent answers is planned for each of its model calls.
 */
export function makePlan(input: PlanInput): Plan {
  const plan = chooseRoute(input);
  if (!allowsModel(input.key.allowedModels, plan.canonicalId)) throw notAllowed(plan.canonicalId);
  refuseMisfit(input.isConversation, plan);
  return plan;
}

/** `auto` is the caller's own credential where there is one, else credits. */
function chooseRoute(input: PlanInput): Plan {
  const { key, controls, reference, owned, sold } = input;
  const route: CallRoute = controls.route ?? key.route;
  if (route === "credits") return onCredits(input);
  const [target] = owned;
  if (target !== undefined) return onOwn(target, input);
  const isSold = route === "auto" && reference.kind !== "custom" && sold !== undefined;
  if (isSold) return onCredits(input);
  throw nothingOwned(input);
}

function onCredits({ reference, sold, dialect: asked }: PlanInput): Plan {
  if (reference.kind === "custom") {
    throw invalidRequest(
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
  const target: OwnTarget = { kind: "vendor", vendor: sold.vendor };
  const planned = { canonicalId: sold.id, upstreamModel: sold.model, target };
  return { ...planned, ...laneTo(target, asked), route: "credits", sold };
}

function nothingOwned({ reference }: PlanInput): ApiError {
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
      return invalidRequest("model", `\`${reference.id}\` is an agent, and no model itself.`);
  }
}

function onOwn(target: OwnTarget, { reference, dialect: asked }: PlanInput): Plan {
  if (target.kind === "vendor") refuseEndedLogin(target.vendor);
  const upstreamModel = "model" in reference ? reference.model : "";
  const canonicalId = `${routeNameOf(target)}/${upstreamModel}`;
  const { lane, dialect } = laneTo(target, asked);
  return { lane, dialect, route: "byo", canonicalId, upstreamModel, target };
}

/** Throws 403 `no_vendor_credential` for a login that its vendor renews no more. */
export function refuseEndedLogin({ id, login }: CallableVendor): void {
  if (login?.hasEnded !== true) return;
  throw new ApiError(
    "no_vendor_credential",
    `The login for \`${id}\` has ended: its vendor renews it no more. Log in there again and link it anew with PUT /v1/vendors/${id}/credential.`,
  );
}

function laneTo(target: OwnTarget, asked: Dialect): Pick<Plan, "lane" | "dialect"> {
  const dialect = spokenDialect(target, asked);
  return { lane: dialect === asked ? "pass-through" : "transcode", dialect };
}

/** The caller's own dialect wins, else the first that the upstream names. */
function spokenDialect(target: OwnTarget, asked: Dialect): Dialect {
  if (target.kind === "custom") return target.endpoint.dialect;
  const { dialects } = target.vendor;
  return dialects.includes(asked) ? asked : (dialects[0] ?? asked);
}

/** `custom/<slug>` or the vendor's id. */
export function routeNameOf(target: OwnTarget): string {
  return target.kind === "custom" ? `custom/${target.endpoint.slug}` : target.vendor.id;
}

/** Whether an upstream can be spoken to in a dialect. */
export function speaks(target: OwnTarget, dialect: Dialect): boolean {
  return spokenDialect(target, dialect) === dialect;
}

/** The refusal of a model, or an agent, that `allowed_models` leave out. */
export function notAllowed(canonicalId: string): ApiError {
  return new ApiError(
    "model_not_allowed",
    `This key may not use \`${canonicalId}\`: use a model that GET /v1/models calls available, or change the key's \`allowed_models\`.`,
  );
}
