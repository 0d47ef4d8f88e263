import { readBytesWithinLimit } from "../platform/byte-collector.ts";
import type { TokenEndpoint } from "../platform/configuration/configuration.ts";
import { classifyDialFailure } from "../platform/dial/dial-failure.ts";
import type { Dialer } from "../platform/dial/dialer.ts";
import { isJsonObject, type JsonObject } from "../platform/json-value.ts";

/** What a token endpoint gave in place of a refresh token. */
export interface OAuthTokens {
  readonly accessToken: string;
  /** Undefined: the one that was sent goes on. */
  readonly refreshToken: string | undefined;
  /** Seconds that the access token lives; undefined: not said. */
  readonly expiresIn: number | undefined;
}

/** What became of a request for tokens. */
export type OAuthTokenResult =
  | { readonly kind: "granted"; readonly tokens: OAuthTokens }
  /** The refresh token is worth nothing any more. */
  | { readonly kind: "ended" }
  /** It may go better another time; `reason` is ours, nothing that the endpoint said. */
  | { readonly kind: "failed"; readonly reason: string };

/** Milliseconds that one request may take, connection included. */
const tokenRequestMs = 10_000;

const maxBodyBytes = 64 * 1024;
const maxTokenLength = 16 * 1024;

/**
 * Error codes after which only a new login helps: that of RFC 6749, and those that
 * a large vendor answers with in its place.
 */
const endings = /^(?:invalid_grant|(?:refresh_)?token_(?:expired|reused|invalidated|revoked))$/;

/** Further codes of RFC 6749, 5.2; no other word of the endpoint is repeated. */
const codes =
  /^(?:invalid_request|invalid_client|unauthorized_client|unsupported_grant_type|invalid_scope)$/;

/**
 * Asks a token endpoint for the tokens that follow a refresh token (RFC 6749,
 * section 6). Asked once: a refresh token may be good for one use only. Redirects
 * are not followed. Rejects only for a mistake of ours.
 */
export async function refreshOAuthTokens(
  dialer: Pick<Dialer, "dispatcher">,
  poolKey: string,
  endpoint: TokenEndpoint,
  refreshToken: string,
): Promise<OAuthTokenResult> {
  const url = new URL(endpoint.url);
  try {
    const { statusCode, body } = await dialer.dispatcher(poolKey).request({
      origin: url.origin,
      path: url.pathname,
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
      },
      body: formOf(endpoint, refreshToken),
      signal: AbortSignal.timeout(tokenRequestMs),
      // A connection that was left open is the one thing that could lose a request half-way.
      reset: true,
    });
    return readResponse(statusCode, await readObject(body));
  } catch (error) {
    const failure = classifyDialFailure(error);
    if (failure === undefined) return fail("did not answer in HTTP");
    return fail(`could not be reached (${failure})`);
  }
}

function formOf({ clientId, clientSecret, scope }: TokenEndpoint, refreshToken: string): string {
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: clientId,
  });
  if (clientSecret !== undefined) form.set("client_secret", clientSecret.reveal());
  if (scope !== undefined) form.set("scope", scope);
  return form.toString();
}

function readResponse(status: number, body: JsonObject | undefined): OAuthTokenResult {
  if (status === 200) return readGrant(body);
  const code = errorCode(body);
  if (status < 500 && status >= 400 && endings.test(code)) return { kind: "ended" };
  return fail(codes.test(code) ? `answered ${status} ${code}` : `answered ${status}`);
}

/** `{"error": "invalid_grant"}`, or the code inside of an error object. */
function errorCode(body: JsonObject | undefined): string {
  const error = body?.["error"];
  if (typeof error === "string") return error;
  const code = isJsonObject(error) ? error["code"] : undefined;
  return typeof code === "string" ? code : "";
}

function readGrant(body: JsonObject | undefined): OAuthTokenResult {
  const accessToken = readToken(body?.["access_token"]);
  if (body === undefined || accessToken === undefined) return fail("gave no access token");
  const type = body["token_type"];
  if (typeof type === "string" && type.toLowerCase() !== "bearer") {
    return fail("gave a token that is no bearer token");
  }
  const refreshToken = readToken(body["refresh_token"]);
  const expiresIn = readSeconds(body["expires_in"]);
  return { kind: "granted", tokens: { accessToken, refreshToken, expiresIn } };
}

/** What may stand in a header. */
function readToken(value: unknown): string | undefined {
  const isToken = typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
  return isToken && value.length <= maxTokenLength ? value : undefined;
}

/** Some servers write the number as a string. */
function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === "string" ? Number.parseInt(value, 10) : value;
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(seconds, 10 * 365 * 86_400);
}

/** Undefined: it is no JSON object, or longer than an answer with tokens is. */
async function readObject(body: AsyncIterable<Buffer>): Promise<JsonObject | undefined> {
  const bytes = await readBytesWithinLimit(body, maxBodyBytes);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function fail(reason: string): OAuthTokenResult {
  return { kind: "failed", reason };
}
