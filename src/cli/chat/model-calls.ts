import type { JsonObject } from "@bufbuild/protobuf";
import { AgentService } from "../../../gen/ts/causeway/agent/v1/agent_pb.ts";
import { callError } from "../call-error.ts";
import type { Caller } from "../caller.ts";
import { withHint } from "../credential-hint.ts";
import { credentialForCall, type Credential } from "../credentials.ts";
import { gateway, plainAddress, serverUrl } from "../server-url.ts";
import { eventsIn } from "./events-in.ts";
import { refusalIn } from "./refusal-in.ts";

/** An answer that has begun. */
export interface BegunAnswer {
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

/** Model calls are no method of the contract; they take the credential that an agent's threads take, a caller key. */
const likeMethod = AgentService.method.listThreads;

/** Calls models of the caller's server. All calls reject with a `CallError`, or with the signal's reason. */
export class ModelCalls {
  readonly #caller: Caller;
  readonly #url: URL;
  readonly #credential: Credential | undefined;

  /** Throws a `CallError` for a server address that is none, and for a profile without a key. */
  constructor(caller: Caller) {
    this.#caller = caller;
    this.#url = serverUrl(gateway, caller);
    this.#credential = credentialForCall(likeMethod, this.#url, caller);
  }

  /** Asks for a response; `session` names the thread that it belongs to. */
  async begin(
    body: JsonObject,
    session: string | undefined,
    signal: AbortSignal,
  ): Promise<BegunAnswer> {
    const sent = JSON.stringify({ ...body, stream: true });
    const answer = await this.#fetch("/v1/responses", {
      method: "POST",
      body: sent,
      session,
      signal,
    });
    return {
      turn: answer.headers.get("x-svc-turn") ?? undefined,
      session: answer.headers.get("x-svc-session") ?? undefined,
      events: eventsIn(answer),
    };
  }

  /** The events of a turn behind the one with this number. */
  async follow(
    turn: string,
    after: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<JsonObject>> {
    const behind = after < 0 ? "" : `&starting_after=${after.toString()}`;
    return eventsIn(await this.#fetch(`/v1/responses/${turn}?stream=true${behind}`, { signal }));
  }

  /** Ends a turn; its stream then tells that it has ended. */
  async cancel(turn: string, signal: AbortSignal): Promise<void> {
    await this.#fetch(`/v1/responses/${turn}/cancel`, { method: "POST", signal });
  }

  /** The answer, which is a success. */
  async #fetch(path: string, request: ModelRequest): Promise<Response> {
    const answer = await this.#dial(path, request);
    if (answer.ok) return answer;
    const refused = {
      method: likeMethod,
      url: this.#url,
      caller: this.#caller,
      credential: this.#credential,
    };
    throw withHint(await refusalIn(answer, this.#place, gateway.variable), refused);
  }

  async #dial(path: string, { session, ...request }: ModelRequest): Promise<Response> {
    try {
      return await fetch(`${plainAddress(this.#url)}${path}`, {
        ...request,
        headers: this.#headers(session),
        // The key goes to the address that was given and nowhere else.
        redirect: "manual",
      });
    } catch (error) {
      if (request.signal.aborted) throw error;
      throw callError(causeOf(error), this.#place, gateway.variable);
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
    return this.#caller.environment[gateway.variable] || this.#url.origin;
  }
}

/** What `fetch` failed of, which it does not say itself. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}
