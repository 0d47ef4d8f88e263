import type { IncomingHttpHeaders } from "node:http";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import type { DialectOperation } from "../../dialect/dialect-surface.ts";
import { Secret } from "../../platform/crypto/secret.ts";
import {
  defaultUpstreamAuthStyle,
  buildCredentialHeaders,
  defaultAnthropicVersion,
  type UpstreamAuthStyle,
} from "../../platform/endpoint/credential-headers.ts";
import { CallerAccountCircuits } from "./account-circuits.ts";
import {
  getCanonicalUpstreamId,
  assertVendorLoginUsable,
  type CallableUpstream,
} from "../routing/plan.ts";
import type { CallableVendor, RefreshableVendorLogin } from "../../domain/callable-vendor.ts";
import { trimTrailingCharacter } from "../../platform/trim-character.ts";

/** What is the same for every dial of an endpoint or linked vendor, made once. */
export interface ResolvedUpstream {
  /** `custom/<slug>` or the vendor's id, for messages. */
  readonly name: string;
  /** What its caller can do when the stored credential is refused: one sentence. */
  readonly remedy: string;
  readonly origin: string;
  /** Path of the base address, without a trailing slash. */
  readonly basePath: string;
  readonly poolKey: string;
  /** The stored credential and the values of headers, to be kept out of what an upstream says. */
  readonly secrets: readonly Secret[];
  /** The header of the stored credential: its name and its value. */
  readonly credential: readonly string[];
  /** Names and values in turn: the endpoint's own headers, no compression. */
  readonly ownHeaders: readonly string[];
  /** Headers of the caller that are passed on, less those that the endpoint sets itself. */
  readonly forwardedHeaders: readonly PassedHeader[];
  readonly circuits: CallerAccountCircuits;
  /**
   * Puts another token in the place of one that was refused; false: there is no
   * other. Rejects with the refusal that the call ends with. Undefined: its
   * credential cannot be renewed.
   */
  readonly renew?: () => Promise<boolean>;
}

/** The caller's headers that reach an upstream; no other does. */
const forwardedHeaders = [
  "accept",
  "content-type",
  "user-agent",
  "anthropic-version",
  "anthropic-beta",
  "openai-beta",
] as const;

type PassedHeader = (typeof forwardedHeaders)[number];

const pathOfDialect: Readonly<Record<DialectId, DialectOperation["path"]>> = {
  dialect_chat: "/chat/completions",
  dialect_responses: "/responses",
  dialect_messages: "/messages",
};

const targets = new WeakMap<object, ResolvedUpstream>();

/** The dial target of an endpoint or vendor; kept as long as the directory keeps the object. */
export function getUpstreamTarget(owned: CallableUpstream): ResolvedUpstream {
  const source = owned.kind === "custom" ? owned.endpoint : owned.vendor;
  const known = targets.get(source);
  if (known !== undefined) return known;
  const target = makeTarget(owned);
  targets.set(source, target);
  return target;
}

/** Request headers of one dial: names and values in turn, the credential first here and below. */
export function buildUpstreamRequestHeaders(
  target: ResolvedUpstream,
  dialect: DialectId,
  caller: IncomingHttpHeaders,
): string[] {
  const headers = [...target.credential, ...target.ownHeaders];
  for (const name of target.forwardedHeaders) {
    const value = caller[name] ?? defaultValue(name, dialect);
    if (typeof value === "string") headers.push(name, value);
  }
  return headers;
}

/** Request headers of a dial without a body: names and values in turn. */
export function buildBodylessUpstreamHeaders(
  target: ResolvedUpstream,
  caller: IncomingHttpHeaders,
): string[] {
  const headers = [...target.credential, ...target.ownHeaders];
  for (const name of target.forwardedHeaders) {
    const value = name === "content-type" ? undefined : caller[name];
    if (typeof value === "string") headers.push(name, value);
  }
  return headers;
}

/**
 * Request headers of a transcoded dial: of the caller's own only `user-agent`;
 * `dialectHeaders`, names and values in turn, are those that the body needs.
 */
export function buildTranscodedRequestHeaders(
  target: ResolvedUpstream,
  caller: IncomingHttpHeaders,
  dialectHeaders: readonly string[],
): string[] {
  const { credential, ownHeaders } = target;
  const headers = [...credential, ...ownHeaders, "content-type", "application/json"];
  const agent = caller["user-agent"];
  if (agent !== undefined && target.forwardedHeaders.includes("user-agent")) {
    headers.push("user-agent", agent);
  }
  headers.push(...dialectHeaders);
  return headers;
}

/** Path of one transcoded dial. */
export function transcodedRequestPath(target: ResolvedUpstream, dialect: DialectId): string {
  return target.basePath + pathOfDialect[dialect];
}

/** Path of one dial. */
export function upstreamRequestPath(target: ResolvedUpstream, surface: DialectOperation): string {
  return target.basePath + surface.path;
}

function defaultValue(name: PassedHeader, dialect: DialectId): string | undefined {
  if (name === "content-type") return "application/json";
  const isVersion = name === "anthropic-version" && dialect === "dialect_messages";
  return isVersion ? defaultAnthropicVersion : undefined;
}

/** The same request headers with the credential that the target has now. */
export function applyRefreshedCredentialHeaders(
  target: ResolvedUpstream,
  headers: readonly string[],
): string[] {
  return [...target.credential, ...headers.slice(target.credential.length)];
}

function makeTarget(owned: CallableUpstream): ResolvedUpstream {
  const target = plainTarget(owned);
  if (owned.kind !== "vendor" || owned.vendor.login === undefined) return target;
  const { login } = owned.vendor;
  const renewable = { ...target, renew: () => renewToken(renewable, login) };
  return renewable;
}

/** In place, because calls that are on their way hold the target. */
async function renewToken(
  target: Pick<ResolvedUpstream, "credential" | "secrets">,
  login: RefreshableVendorLogin,
): Promise<boolean> {
  const vendor: CallableVendor | undefined = await login.refresh();
  if (vendor === undefined) return false;
  assertVendorLoginUsable(vendor);
  const { credential, secrets } = plainTarget({ kind: "vendor", vendor });
  Object.assign(target, { credential, secrets: [...target.secrets, ...secrets] });
  return true;
}

function plainTarget(owned: CallableUpstream): ResolvedUpstream {
  const { baseUrl, poolKey, headers } = owned.kind === "custom" ? owned.endpoint : owned.vendor;
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const names = new Set(own.map(([name]) => name));
  const withOwn = own.filter(([name]) => name !== "accept-encoding").flat();
  return {
    name: getCanonicalUpstreamId(owned),
    remedy: remedyOf(owned),
    origin: baseUrl.origin,
    basePath: trimTrailingCharacter(baseUrl.pathname, "/"),
    poolKey,
    secrets: secretsOf(owned),
    credential: credentialHeader(owned),
    ownHeaders: [...withOwn, "accept-encoding", "identity"],
    forwardedHeaders: forwardedHeaders.filter((name) => !names.has(name)),
    circuits: new CallerAccountCircuits(),
  };
}

function remedyOf(owned: CallableUpstream): string {
  if (owned.kind === "custom") {
    return `Set another with PATCH /v1/upstreams/${owned.endpoint.slug}.`;
  }
  const { id, belongsToOperator: isOperators } = owned.vendor;
  if (isOperators === true) return "It is the operator's: tell the operator.";
  return `Link another with PUT /v1/vendors/${id}/credential.`;
}

/** Below these lengths a value would be found in words that have nothing to do with it. */
const minCredentialLength = 4;
const minHeaderValueLength = 8;

function secretsOf(owned: CallableUpstream): readonly Secret[] {
  const { headers } = owned.kind === "custom" ? owned.endpoint : owned.vendor;
  const values = Object.values(headers).filter(({ length }) => length >= minHeaderValueLength);
  const credential = credentialOf(owned);
  const isLong = credential.reveal().length >= minCredentialLength;
  return [...(isLong ? [credential] : []), ...values.map((value) => new Secret(value))];
}

function credentialOf(owned: CallableUpstream): Secret {
  return owned.kind === "custom" ? owned.endpoint.apiKey : owned.vendor.token;
}

/** A custom endpoint takes the credential in its dialect's own style, a vendor as configured. */
function credentialHeader(owned: CallableUpstream): readonly string[] {
  const style =
    owned.kind === "custom" ? defaultUpstreamAuthStyle(owned.endpoint.dialect) : vendorStyle(owned);
  return Object.entries(buildCredentialHeaders(style, credentialOf(owned))).flat();
}

/** The token of a login is sent as a bearer. */
function vendorStyle({ vendor }: Extract<CallableUpstream, { kind: "vendor" }>): UpstreamAuthStyle {
  return vendor.auth === "x-api-key" ? "x-api-key" : "bearer";
}
