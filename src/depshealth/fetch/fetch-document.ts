import type { Dispatcher } from "undici";
import type { Clock } from "../../platform/clock.ts";
import {
  classifyDialFailure,
  findDialDeniedError,
  type DialFailure,
} from "../../platform/dial/dial-failure.ts";
import type { Dialer } from "../../platform/dial/dialer.ts";
import { DataSourceDocumentError, type DataSourceDocumentErrorKind } from "./document-error.ts";
import type {
  DataSourceDocumentLoadResult,
  DataSourceResult,
  HttpCacheValidators,
} from "./outcome.ts";
import type { BlockedDataSourceLog } from "./blocked-source-log.ts";
import { decompressWithinLimit, type DataSourceDocumentParser } from "./read-document.ts";
import { readRetryDelayMs, parseRetryDelayFromMessage } from "./retry-after.ts";
import {
  DataSourceRequestNotSentError,
  type DataSourceRequestThrottle,
} from "./source-throttle.ts";

/** One request for a document. */
export interface DataSourceHttpRequest<Document> {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST; undefined: GET. */
  readonly body?: unknown;
  readonly read: DataSourceDocumentParser<Document>;
  /** Of what the body unpacks to; 8 MiB if omitted. */
  readonly maxBytes?: number;
  /** From the first byte sent to the last received; as the dependencies have it if omitted. */
  readonly timeoutMs?: number;
}

export interface DataSourceFetchDependencies {
  readonly dialer: Dialer;
  readonly clock: Clock;
  readonly userAgent: string;
  /** Hears of addresses that are not dialled. */
  readonly errors: BlockedDataSourceLog;
  /** Of a request that names none; 10 seconds if omitted. */
  readonly timeoutMs?: number | undefined;
}

const defaultMaxBytes = 8 * 1024 * 1024;
const defaultTimeoutMs = 10_000;
const maxRedirects = 3;
const poolKey = "depshealth";

const failureMessages: Readonly<Record<DialFailure, string>> = {
  blocked_address: "may not be dialled (the server's log says what would allow it)",
  dns: "could not be found",
  connect: "could not be reached",
  tls: "has no valid certificate",
  timeout: "did not answer in time",
  reset: "broke the connection off",
};

const documentErrorMessages: Readonly<Record<DataSourceDocumentErrorKind, string>> = {
  "not JSON": "sent something that is not JSON",
  "broken off": "sent a document that breaks off",
  "too large": "sent more than is read",
  unreadable: "sent something that cannot be read",
};

/** Whether a document could not be had because it is larger than is read. */
export function isDocumentTooLargeFailure(outcome: DataSourceResult<unknown>): boolean {
  return (
    outcome.state === "failed" && outcome.failure.message === documentErrorMessages["too large"]
  );
}

/**
 * Asks a source for a document, through its gate. Never rejects: whatever goes
 * wrong is a failure of the source with a message that holds nothing of what it
 * sent. Redirects are followed within the same origin only.
 */
export async function fetchDataSourceDocument<Document>(
  dependencies: DataSourceFetchDependencies,
  gate: DataSourceRequestThrottle,
  request: DataSourceHttpRequest<Document>,
  validators?: HttpCacheValidators,
): Promise<DataSourceDocumentLoadResult<Document>> {
  try {
    return await gate.run(() => new Attempt(dependencies, gate, request, validators).run());
  } catch (error) {
    if (error instanceof DataSourceRequestNotSentError)
      return { kind: "failed", message: error.message };
    throw error;
  }
}

/** One request with its redirects, and its repetition when a kept connection had died. */
class Attempt<Document> {
  readonly #dependencies: DataSourceFetchDependencies;
  readonly #gate: DataSourceRequestThrottle;
  readonly #request: DataSourceHttpRequest<Document>;
  readonly #validators: HttpCacheValidators | undefined;

  constructor(
    dependencies: DataSourceFetchDependencies,
    gate: DataSourceRequestThrottle,
    request: DataSourceHttpRequest<Document>,
    validators: HttpCacheValidators | undefined,
  ) {
    this.#dependencies = dependencies;
    this.#gate = gate;
    this.#request = request;
    this.#validators = validators;
  }

  async run(): Promise<DataSourceDocumentLoadResult<Document>> {
    const signal = AbortSignal.timeout(
      this.#request.timeoutMs ?? this.#dependencies.timeoutMs ?? defaultTimeoutMs,
    );
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#follow(signal);
      } catch (error) {
        if (attempt === 0 && classifyDialFailure(error) === "reset") continue;
        return this.#failure(error);
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<DataSourceDocumentLoadResult<Document>> {
    let { url } = this.#request;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const answer = await this.#send(url, signal);
      const target = redirectTarget(answer, url);
      if (target === undefined) return this.#read(answer);
      discard(answer.body);
      if (target.origin !== url.origin || this.#request.body !== undefined) break;
      url = target;
    }
    return { kind: "failed", message: "redirected where it is not followed" };
  }

  #send(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { body, headers } = this.#request;
    return this.#dependencies.dialer.dispatcher(poolKey).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        "accept-encoding": "gzip",
        "user-agent": this.#dependencies.userAgent,
        ...headers,
        ...conditions(this.#validators),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    });
  }

  async #read({
    statusCode,
    headers,
    body,
  }: Dispatcher.ResponseData): Promise<DataSourceDocumentLoadResult<Document>> {
    if (statusCode === 200) {
      const limit = this.#request.maxBytes ?? defaultMaxBytes;
      const document = await this.#request.read(decompressWithinLimit(body, limit), headers);
      this.#gate.succeeded();
      return { kind: "document", document, validators: validatorsOf(headers) };
    }
    if (statusCode === 429 || statusCode === 503 || statusCode === 403) {
      await this.#heedPause(statusCode, headers, body);
    } else discard(body);
    return this.#withoutDocument(statusCode);
  }

  #withoutDocument(statusCode: number): DataSourceDocumentLoadResult<Document> {
    if (statusCode >= 500) this.#gate.failed();
    else if (statusCode !== 429) this.#gate.succeeded();
    if (statusCode === 304) return { kind: "unchanged" };
    if (statusCode === 404 || statusCode === 410) return { kind: "missing" };
    return { kind: "failed", message: `answered with status ${statusCode}` };
  }

  /** A 429 is always a wish for silence, the others only when they say so. */
  async #heedPause(
    statusCode: number,
    headers: Dispatcher.ResponseData["headers"],
    body: Dispatcher.ResponseData["body"],
  ): Promise<void> {
    const asked = readRetryDelayMs(headers, this.#dependencies.clock.now());
    if (statusCode === 429)
      this.#gate.pause(asked ?? parseRetryDelayFromMessage(await beginningOf(body)));
    else if (asked !== undefined) this.#gate.pause(asked);
    discard(body);
  }

  #failure(error: unknown): DataSourceDocumentLoadResult<Document> {
    if (error instanceof DataSourceDocumentError) {
      return { kind: "failed", message: documentErrorMessages[error.kind] };
    }
    this.#gate.failed();
    const kind = classifyDialFailure(error);
    const refusal = findDialDeniedError(error);
    if (refusal !== undefined) this.#dependencies.errors.report(this.#request.url.origin, refusal);
    if (kind !== undefined) return { kind: "failed", message: failureMessages[kind] };
    return { kind: "failed", message: "did not speak HTTP as it should" };
  }
}

function conditions(validators: HttpCacheValidators | undefined): Record<string, string> {
  if (validators?.etag !== undefined) return { "if-none-match": validators.etag };
  if (validators?.lastModified === undefined) return {};
  return { "if-modified-since": validators.lastModified };
}

function validatorsOf(headers: Dispatcher.ResponseData["headers"]): HttpCacheValidators {
  const { etag, "last-modified": lastModified } = headers;
  return {
    ...(typeof etag === "string" && { etag }),
    ...(typeof lastModified === "string" && { lastModified }),
  };
}

function redirectTarget(
  { statusCode, headers }: Dispatcher.ResponseData,
  from: URL,
): URL | undefined {
  if (statusCode < 301 || statusCode > 308 || statusCode === 304) return undefined;
  const { location } = headers;
  return (typeof location === "string" ? URL.parse(location, from.href) : null) ?? undefined;
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  try {
    for await (const chunk of body) {
      text += chunk.toString("latin1");
      if (text.length > 2000) break;
    }
  } catch {
    // What has come so far will do.
  }
  return text.slice(0, 2000);
}

/** Nothing of it is wanted; the listener takes the error of ending it early. */
function discard(body: Dispatcher.ResponseData["body"]): void {
  body.on("error", () => {}).destroy();
}
