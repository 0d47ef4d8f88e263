import type { JsonObject } from "@bufbuild/protobuf";
import type { CliError } from "../cli-error.ts";
import type { CliChatResponse, CliChatRequest } from "./run-chat-request.ts";

/** How a conversation is to be answered. */
export interface ChatGenerationSettings {
  readonly system?: string;
  readonly effort?: string;
  readonly maxOutputTokens?: number;
  /** Somebody wants to see what the model thinks. */
  readonly showsReasoning?: boolean;
}

/** The ids of agents; a caller key may make agents of other models too. */
const agents = /^agent(-\w+)?$/;

/**
 * What was said with a model so far. An ordinary model is sent all of it with each
 * message, an agent as well: where its thread has turns, it goes by those.
 */
export class CliChatConversation {
  readonly #controls: ChatGenerationSettings;
  #model: string;
  #session: string | undefined;
  #isAgent: boolean;
  #history: JsonObject[] = [];
  #asksForThoughts: boolean;

  /** `session`: name of an agent's thread to go on with. */
  constructor(model: string, session: string | undefined, controls: ChatGenerationSettings) {
    this.#model = model;
    this.#session = session;
    this.#controls = controls;
    this.#isAgent = agents.test(model);
    this.#asksForThoughts = controls.showsReasoning === true;
  }

  get model(): string {
    return this.#model;
  }

  /** Goes on with another model, which is told what was said so far. */
  set model(model: string) {
    this.#model = model;
    this.#isAgent = agents.test(model);
    this.#asksForThoughts = this.#controls.showsReasoning === true;
  }

  /** The thread that it goes on with, once an agent has answered. */
  get thread(): string | undefined {
    return this.#isAgent ? this.#session : undefined;
  }

  /** The call that says this. */
  addUserMessage(message: string): CliChatRequest {
    return this.#request([...this.#history, { role: "user", content: message }]);
  }

  /** The call that answers requests for approval; the agent's thread has all else. */
  addAssistantMessage(approvals: readonly JsonObject[]): CliChatRequest {
    return this.#request(approvals);
  }

  /** Keeps what was said, `message` where it was the caller's turn. A message without a word in answer is forgotten. */
  commitExchange(message: string | undefined, { text, session }: CliChatResponse): void {
    if (session !== undefined) this.#session = session;
    this.#isAgent = session !== undefined;
    if (text === "") return;
    if (message !== undefined) this.#history.push({ role: "user", content: message });
    this.#history.push({ role: "assistant", content: text });
  }

  /**
   * Does not ask for this model's thoughts any more, where that is what an error is about:
   * some vendors refuse the wish for models that do not think. False: it is about something else.
   */
  disableReasoning({ message }: CliError): boolean {
    const isRefused = this.#asksForThoughts && message.includes("reasoning");
    if (isRefused) this.#asksForThoughts = false;
    return isRefused;
  }

  /** Begins a new one, an agent's in a new thread. */
  restart(): void {
    this.#history = [];
    this.#session = undefined;
  }

  #request(input: readonly JsonObject[]): CliChatRequest {
    const { system, effort, maxOutputTokens } = this.#controls;
    const reasoning = {
      ...(effort !== undefined && { effort }),
      ...(this.#asksForThoughts && { summary: "auto" }),
    };
    const body = {
      model: this.#model,
      input: [...input],
      // An agent keeps its turns; of an ordinary answer nothing has to be kept elsewhere.
      ...(!this.#isAgent && { store: false }),
      ...(system !== undefined && { instructions: system }),
      ...(Object.keys(reasoning).length > 0 && { reasoning }),
      ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    };
    return { body, session: this.#session, isAgent: this.#isAgent };
  }
}
