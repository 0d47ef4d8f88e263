import type { JsonObject } from "../dialect/json.ts";
import type { AgentTurnSettings } from "../domain/agent-turn.ts";
import type { StoredTurnRequest } from "../domain/durable-turn.ts";
import type { SealedValueBinding, SecretBox } from "../platform/crypto/secret-box.ts";
import { JsonStringifyCache } from "../platform/json-texts.ts";

/** A piece of the events of a batch ends with the event that passes this many characters. */
const maxPieceCharacters = 256 * 1024;

/** What is sealed of a turn when it is stored. */
export interface StoredTurnContent {
  readonly request: StoredTurnRequest;
  readonly input: readonly JsonObject[];
  /** The response object, `queued`. */
  readonly response: JsonObject;
  /** Absent: an ordinary model answers. */
  readonly agent?: AgentTurnSettings;
}

/** How a turn ended. */
export interface TurnEndContent {
  readonly response: JsonObject;
  /** What an agent's adds to its thread; undefined: it is no agent's. */
  readonly items: readonly JsonObject[] | undefined;
}

/** Seals what turns hold of conversations, each for its place. */
export class TurnContentSealer {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  /** Step by step, for the request may be large. */
  async content(id: string, content: StoredTurnContent): Promise<string> {
    return this.#box.sealPieces(new JsonStringifyCache().pieces(content), bindingOf(id, "content"));
  }

  /** JSON of the content. */
  openContentBytes(id: string, sealed: string): Buffer {
    return this.#box.openBytes(sealed, bindingOf(id, "content"));
  }

  /** JSON of the response object, or of `TurnEndContent`. */
  openEndBytes(id: string, sealed: string): Buffer {
    return this.#box.openBytes(sealed, bindingOf(id, "response"));
  }

  openContent(id: string, sealed: string): StoredTurnContent {
    return JSON.parse(this.#box.open(sealed, bindingOf(id, "content"))) as StoredTurnContent;
  }

  /** Seals how a turn ended, step by step. Of an ordinary turn the response object itself is sealed. */
  end(id: string, { response, items }: TurnEndContent): Promise<string> {
    const end = items === undefined ? response : { response, items };
    return this.#box.sealPieces(new JsonStringifyCache().pieces(end), bindingOf(id, "response"));
  }

  /** An agent's turn that was ended unread has only a response: it adds its input to its thread. */
  openEnd(id: string, sealed: string, { agent, input }: StoredTurnContent): TurnEndContent {
    const end = JSON.parse(this.#box.open(sealed, bindingOf(id, "response"))) as JsonObject;
    if (agent !== undefined && "items" in end) return end as unknown as TurnEndContent;
    return { response: end, items: agent && input };
  }

  /** The response object alone. */
  openEndResponse(id: string, sealed: string, isAgents: boolean): JsonObject {
    const end = JSON.parse(this.#box.open(sealed, bindingOf(id, "response"))) as JsonObject;
    return isAgents && "items" in end ? (end["response"] as JsonObject) : end;
  }

  /** Step by step, for one event may repeat the whole answer. */
  frames(id: string, first: number, frames: readonly string[]): Promise<string> {
    return this.#box.sealPieces(listPieces(frames), framesBinding(id, first));
  }

  openFrames(id: string, first: number, sealed: string): readonly string[] {
    return JSON.parse(this.#box.open(sealed, framesBinding(id, first))) as string[];
  }

  sealStepRecord(id: string, step: string, note: object): string {
    return this.#box.seal(JSON.stringify(note), noteBinding(id, step));
  }

  openStepRecord(id: string, step: string, sealed: string): unknown {
    return JSON.parse(this.#box.open(sealed, noteBinding(id, step)));
  }
}

/** The JSON of a list of texts. Small ones are one piece. */
function* listPieces(texts: readonly string[]): Iterable<string> {
  let before = "[";
  let small: string[] = [];
  let characters = 0;
  for (const text of texts) {
    small.push(text);
    characters += text.length;
    if (characters < maxPieceCharacters) continue;
    yield before + JSON.stringify(small).slice(1, -1);
    before = ",";
    small = [];
    characters = 0;
  }
  yield small.length === 0 && before === "," ? "]" : `${before}${JSON.stringify(small).slice(1)}`;
}

/** Id of the batch of events that begins with this one. */
export function buildTurnEventBatchId(turnId: string, first: number): string {
  return `${turnId}/${first}`;
}

function bindingOf(row: string, column: "content" | "response"): SealedValueBinding {
  return { table: "turns", row, column };
}

function framesBinding(id: string, first: number): SealedValueBinding {
  return { table: "turn_batches", row: buildTurnEventBatchId(id, first), column: "frames" };
}

function noteBinding(id: string, step: string): SealedValueBinding {
  return { table: "c_turns", row: `${id}/${step}`, column: "state" };
}
