import type { JsonObject } from "../dialect/json.ts";
import type { AgentTurn } from "../kernel/agent-turn.ts";
import type { TurnRequest } from "../kernel/durable-turn.ts";
import type { SealBinding, SecretBox } from "../platform/crypto/secret-box.ts";

/** What is sealed of a turn when it is stored. */
export interface TurnContent {
  readonly request: TurnRequest;
  readonly input: readonly JsonObject[];
  /** The response object, `queued`. */
  readonly response: JsonObject;
  /** Absent: an ordinary model answers. */
  readonly agent?: AgentTurn;
}

/** How a turn ended. */
export interface SealedEnd {
  readonly response: JsonObject;
  /** What an agent's adds to its thread; undefined: it is no agent's. */
  readonly items: readonly JsonObject[] | undefined;
}

/** Seals what turns hold of conversations, each for its place. */
export class TurnSeals {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  content(id: string, content: TurnContent): string {
    return this.#box.seal(JSON.stringify(content), bindingOf(id, "content"));
  }

  openContent(id: string, sealed: string): TurnContent {
    return JSON.parse(this.#box.open(sealed, bindingOf(id, "content"))) as TurnContent;
  }

  /** Of an ordinary turn the response object itself is sealed. */
  end(id: string, { response, items }: SealedEnd): string {
    const end = items === undefined ? response : { response, items };
    return this.#box.seal(JSON.stringify(end), bindingOf(id, "response"));
  }

  openEnd(id: string, sealed: string, { agent }: TurnContent): SealedEnd {
    const end: unknown = JSON.parse(this.#box.open(sealed, bindingOf(id, "response")));
    return agent === undefined
      ? { response: end as JsonObject, items: undefined }
      : (end as SealedEnd);
  }

  frames(id: string, first: number, frames: readonly string[]): string {
    return this.#box.seal(JSON.stringify(frames), framesBinding(id, first));
  }

  openFrames(id: string, first: number, sealed: string): readonly string[] {
    return JSON.parse(this.#box.open(sealed, framesBinding(id, first))) as string[];
  }

  note(id: string, step: string, note: object): string {
    return this.#box.seal(JSON.stringify(note), noteBinding(id, step));
  }

  openNote(id: string, step: string, sealed: string): unknown {
    return JSON.parse(this.#box.open(sealed, noteBinding(id, step)));
  }
}

/** Id of the batch of events that begins with this one. */
export function batchId(turnId: string, first: number): string {
  return `${turnId}/${first}`;
}

function bindingOf(row: string, column: "content" | "response"): SealBinding {
  return { table: "turns", row, column };
}

function framesBinding(id: string, first: number): SealBinding {
  return { table: "turn_batches", row: batchId(id, first), column: "frames" };
}

function noteBinding(id: string, step: string): SealBinding {
  return { table: "c_turns", row: `${id}/${step}`, column: "state" };
}
