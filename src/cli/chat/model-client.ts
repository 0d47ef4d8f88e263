import type { JsonObject } from "@bufbuild/protobuf";
import { AgentService } from "../../../gen/ts/causeway/agent/v1/agent_pb.ts";
import { requestErrorToCliError } from "../cli-error.ts";
import type { CliProfileContext } from "../cli-context.ts";
import { addCredentialHint } from "../credential-hint.ts";
import { requireProfileCredential, type CliCredential } from "../credentials.ts";
import {
  cliGatewayUrlConfig,
  formatUrlWithoutTrailingSlash,
  resolveCliServiceUrl,
} from "../server-url.ts";
import {
  readIdleTimeoutMs,
  IdleTimeoutWatcher,
  cliSlowResponseIdleTimeoutSeconds,
} from "../silence.ts";
import { readResponseEvents } from "./read-response-events.ts";
import { errorResponseToCliError } from "./parse-error-body.ts";

/** An answer that has begun. */
export interface ChatResponseStream {
  /** Id of the agent's turn, under which the answer can be cancelled and taken up again; undefined: an ordinary model answers. */
  readonly turn: string | undefined;
  /** Name of the agent's thread. */
  readonly session: string | undefined;
  /** Its events as they come. It rejects where the connection breaks. */
  readonly events: AsyncIterable<JsonObject>;
}

interface ModelRequest {
  readonly method?: "POST";
  readonly body?: string;
  readonly session?: string | undefined;
  readonly signal: AbortSignal;
}

/** The name of an agent's thread. */
export const threadNamePattern = /^\w{1,59}$/;

/** Model calls are no method of the contract; they take the credential that an agent's threads take, a caller key. */
const likeMethod = AgentService.method.listThreads;

/** Calls models of the caller's server. All calls reject with a `CliError`, or with the signal's reason. */
export class CliModelClient {
  readonly #caller: CliProfileContext;
  readonly #url: URL;
  readonly #credential: CliCredential | undefined;

  /** Throws a `CliError` for a server address that is none, and for a profile without a key. */
  constructor(caller: CliProfileContext) {
    this.#caller = caller;
    this.#url = resolveCliServiceUrl(cliGatewayUrlConfig, caller);
    this.#credential = requireProfileCredential(likeMethod, this.#url, caller);
  }

  /** Asks for a response; `session` names the thread that it belongs to. */
  async begin(
    body: JsonObject,
    session: string | undefined,
    signal: AbortSignal,
  ): Promise<ChatResponseStream> {
    const sent = JSON.stringify({ ...body, stream: true });
    const answer = await this.#fetch("/v1/responses", {
      method: "POST",
      body: sent,
      session,
      signal,
    });
    return {
      turn: answer.headers.get("x-svc-turn") ?? undefined,
      session: sessionIn(answer.headers),
      events: readResponseEvents(answer),
    };
  }

  /** The events of a turn behind the one with this number. */
  async follow(
    turn: string,
    after: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<JsonObject>> {
    const behind = after < 0 ? "" : `&starting_after=${after.toString()}`;
    return readResponseEvents(
      await this.#fetch(`/v1/responses/${encodeURIComponent(turn)}?stream=true${behind}`, {
        signal,
      }),
    );
  }

  /** Ends a turn; its stream then tells that it has ended. */
  async cancel(turn: string, signal: AbortSignal): Promise<void> {
    await this.#fetch(`/v1/responses/${encodeURIComponent(turn)}/cancel`, {
      method: "POST",
      signal,
    });
  }

  /** The answer, which is a success. */
  async #fetch(path: string, request: ModelRequest): Promise<Response> {
    const answer = await this.#send(path, request);
    if (answer.ok) return answer;
    const refused = {
      method: likeMethod,
      url: this.#url,
      caller: this.#caller,
      credential: this.#credential,
    };
    throw addCredentialHint(
      await errorResponseToCliError(answer, this.#place, cliGatewayUrlConfig.variable),
      refused,
    );
  }

  async #send(path: string, { session, ...request }: ModelRequest): Promise<Response> {
    const watch = new IdleTimeoutWatcher(
      readIdleTimeoutMs(this.#caller.environment, cliSlowResponseIdleTimeoutSeconds),
    );
    try {
      const answer = await fetch(`${formatUrlWithoutTrailingSlash(this.#url)}${path}`, {
        ...request,
        signal: AbortSignal.any([request.signal, watch.signal]),
        headers: this.#headers(session),
        // The key goes to the address that was given and nowhere else.
        redirect: "manual",
      });
      return watch.watch(answer);
    } catch (error) {
      watch.end();
      if (request.signal.aborted) throw error;
      throw requestErrorToCliError(
        unwrapFetchError(error),
        this.#place,
        cliGatewayUrlConfig.variable,
      );
    }
  }

  #headers(session: string | undefined): Record<string, string> {
    return {
      "content-type": "application/json",
      ...(this.#credential && { authorization: `Bearer ${this.#credential.token}` }),
      ...(session !== undefined && { "x-svc-session": session }),
    };
  }

  /** As its caller would change it. */
  get #place(): string {
    return this.#caller.environment[cliGatewayUrlConfig.variable] || this.#url.origin;
  }
}

/** Returns the thread of a response. Undefined unless it is a plain name, because it becomes part of a command to paste. */
function sessionIn(headers: Headers): string | undefined {
  const session = headers.get("x-svc-session") ?? "";
  return threadNamePattern.test(session) ? session : undefined;
}

/** What `fetch` failed of, which it does not say itself. */
export function unwrapFetchError(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}
