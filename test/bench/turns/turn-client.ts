import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { request } from "undici";
import type { TurnAccount, TurnServer } from "./turn-environment.ts";
import { promptFor, type ScriptedOutput } from "./scripted-upstream.ts";

/** One way of asking for an answer. */
export interface StartedTurn {
  readonly background: boolean;
  readonly stream: boolean;
}

/** Calls the responses routes of a process with a key. */
export class TurnClient {
  readonly #server: TurnServer;
  readonly #account: TurnAccount;

  constructor(server: TurnServer, account: TurnAccount) {
    this.#server = server;
    this.#account = account;
  }

  /** Asks, and reads the whole answer. */
  async whole(asked: StartedTurn, speech: ScriptedOutput): Promise<string> {
    const { body } = await this.#ask(asked, speech);
    return body.text();
  }

  /** Id of an answer in the background, once it has ended. */
  async ended(speech: ScriptedOutput): Promise<string> {
    const told = await this.whole({ background: true, stream: false }, speech);
    const { id } = JSON.parse(told) as { readonly id: string };
    for (;;) {
      const { status } = await this.#get(`/v1/responses/${id}`);
      if (status !== "queued" && status !== "in_progress") return id;
      await delay(50);
    }
  }

  /** An agent's turn that asks its caller for the result of a tool. */
  async waiting(): Promise<void> {
    const { body } = await request(`${this.#server.url}/v1/responses`, {
      method: "POST",
      headers: {
        ...this.#with().headers,
        "content-type": "application/json",
        "x-svc-mode": "agent",
      },
      body: JSON.stringify({
        model: this.#account.model,
        input: promptFor({ words: 0, every: 0, calls: true }),
        tools: [{ type: "function", name: "look", parameters: { type: "object" } }],
      }),
    });
    const text = await body.text();
    if (!text.includes(`"type":"function_call"`)) throw new Error(`It does not wait: ${text}`);
  }

  /** Milliseconds to the first word of a stream, which is read to its end. */
  async firstWordMs(asked: StartedTurn, speech: ScriptedOutput): Promise<number> {
    const began = performance.now();
    const { body } = await this.#ask(asked, speech);
    let first: number | undefined;
    let text = "";
    for await (const chunk of body) {
      if (first !== undefined) continue;
      text += String(chunk);
      if (text.includes("response.output_text.delta")) first = performance.now() - began;
    }
    if (first === undefined) throw new Error(`There was no word: ${text}`);
    return first;
  }

  /** Milliseconds to the first byte of what is replayed, and to its end. */
  async replay(id: string): Promise<{ readonly first: number; readonly whole: number }> {
    const began = performance.now();
    const { body } = await request(
      `${this.#server.url}/v1/responses/${id}?stream=true`,
      this.#with(),
    );
    let first: number | undefined;
    body.once("data", () => (first = performance.now() - began));
    await once(body, "end");
    if (first === undefined) throw new Error(`Nothing of ${id} was replayed.`);
    return { first, whole: performance.now() - began };
  }

  /** Begins an answer that goes on, and resolves with its id. */
  async begin(speech: ScriptedOutput): Promise<string> {
    const told = await this.whole({ background: true, stream: false }, speech);
    return (JSON.parse(told) as { readonly id: string }).id;
  }

  async cancel(id: string): Promise<void> {
    const options = { method: "POST" as const, ...this.#with() };
    const { body } = await request(`${this.#server.url}/v1/responses/${id}/cancel`, options);
    await body.dump();
  }

  #ask(asked: StartedTurn, speech: ScriptedOutput) {
    return request(`${this.#server.url}/v1/responses`, {
      method: "POST",
      headers: { ...this.#with().headers, "content-type": "application/json" },
      body: JSON.stringify({ model: this.#account.model, input: promptFor(speech), ...asked }),
    });
  }

  async #get(path: string): Promise<{ readonly status: string }> {
    const { body } = await request(this.#server.url + path, this.#with());
    return (await body.json()) as { readonly status: string };
  }

  #with() {
    return { headers: { authorization: `Bearer ${this.#account.key}` } };
  }
}
