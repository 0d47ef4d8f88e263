import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import {
  webSocketErrorFromBody,
  sseErrorToWebSocketError,
} from "../../dialect/responses/websocket-error.ts";
import type { JsonObject } from "../../dialect/json.ts";
import { errorCatalog } from "../../platform/errors.ts";
import { splitRawHeadersIntoPairs } from "../../platform/header-pairs.ts";
import { recordToMap } from "../../platform/lookup-table.ts";
import type { CallResponseWritable } from "../call/caller-connection.ts";
import type { UpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import { estimateParsedBodyMemory } from "../call/parse-call-body.ts";
import { SseDataReader } from "./sse-data-reader.ts";
import { bytesMatchAt } from "./bytes-match-at.ts";

/** Where the messages of a call go. */
export interface WebSocketMessageSender {
  readonly socket: Socket;
  /** Sends text messages, together. */
  sendAll(texts: readonly Buffer[]): void;
  /** Drops the connection: its caller is not to take what came for a whole answer. */
  cut(): void;
}

/** An end of a call that its answer can be gone on from. */
type EndListener = (data: Buffer) => void;

/**
 * Stands for the caller of a call that came as a message: the events of its answer, and
 * what it is refused with, become messages.
 */
export class WebSocketCall extends EventEmitter implements CallResponseWritable {
  statusCode = 200;
  writableFinished = false;
  /** The caller has the last event of its answer. */
  isAnswered = false;
  readonly #sink: WebSocketMessageSender;
  readonly #ended: EndListener;
  readonly #events: SseDataReader;
  readonly #hold: UpstreamDataMemoryCounter;
  #headers: JsonObject = {};
  /** The body of an answer that is an error. */
  #body = "";
  #isClosed = false;
  readonly #drained = (): void => void this.emit("drain");

  /** `hold` counts what is held of the answer; what it throws ends the call. */
  constructor(sink: WebSocketMessageSender, hold: UpstreamDataMemoryCounter, ended: EndListener) {
    super();
    this.#events = new SseDataReader(hold);
    this.#hold = hold;
    this.#sink = sink;
    this.#ended = ended;
    sink.socket.on("drain", this.#drained);
  }

  get writableNeedDrain(): boolean {
    return this.#sink.socket.writableNeedDrain;
  }

  writeHead(status: number, headers: readonly string[]): void {
    this.statusCode = status;
    if (status >= 400) this.#headers = sentHeaders(headers);
  }

  write(chunk: Buffer | undefined): boolean {
    if (chunk === undefined || this.#isClosed) return true;
    if (this.statusCode >= 400) this.#body += chunk.toString();
    else this.#sendEvent(() => this.#events.push(chunk));
    return !this.writableNeedDrain;
  }

  end(chunk?: Buffer | string, encoding?: "latin1"): void {
    this.write(typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk);
    if (this.#isClosed) return;
    if (this.statusCode < 400) this.#sendEvent(() => this.#events.finish());
    else this.#sendErrorEvent(webSocketErrorFromBody(this.statusCode, this.#body, this.#headers));
    // Behind all messages: it is known then that they are out.
    this.#sink.socket.write(nothing, (error) => this.#close(!(error instanceof Error)));
  }

  destroy(): void {
    this.#sink.cut();
    process.nextTick(() => this.#close(false));
  }

  /** The caller hung up. */
  leave(): void {
    this.#close(false);
  }

  #close(isWhole: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.writableFinished = isWhole;
    this.#sink.socket.off("drain", this.#drained);
    this.emit("close");
  }

  /** An upstream's event may be too large, or no text, or more than the account may hold. */
  #sendEvent(read: () => readonly Buffer[]): void {
    try {
      const texts: Buffer[] = [];
      for (const data of read()) {
        const told = this.#told(data);
        if (told !== undefined) texts.push(told);
      }
      this.#sink.sendAll(texts);
    } catch {
      this.destroy();
    }
  }

  #sendErrorEvent(text: string): void {
    this.#sink.sendAll([Buffer.from(text)]);
  }

  /** What the caller is told of an event: as a rule just its data; undefined: nothing. */
  #told(data: Buffer): Buffer | undefined {
    if (isCommon(data)) return data;
    const [, type] = errorEventType.exec(data.toString("latin1", 0, headBytes)) ?? [];
    if (type !== undefined) return this.#hasSentEnd(data, type);
    // What stands behind the last event of some upstreams is no event.
    return data.equals(doneMark) ? undefined : data;
  }

  #hasSentEnd(data: Buffer, type: string): Buffer | undefined {
    // Whoever has heard that its response failed would take an error behind that for the next one's.
    if (type === "error" && this.isAnswered) return undefined;
    this.isAnswered = true;
    if (type === "error") return this.#errorMessage(data);
    if (type !== "response.failed") this.#ended(data);
    return data;
  }

  /** Returns an error as it came if it has too many values to be parsed or is nested too deep to be written. */
  #errorMessage(data: Buffer): Buffer {
    const needed = estimateParsedBodyMemory(data);
    if (needed === undefined) return data;
    this.#hold(data.length + needed);
    try {
      return Buffer.from(sseErrorToWebSocketError(data.toString(), statusOf));
    } catch {
      return data;
    }
  }
}

const commonHead = Buffer.from('{"type":"response.output_');

/** Nearly all events of a stream: what is said, word by word. */
function isCommon(data: Buffer): boolean {
  return bytesMatchAt(data, 0, commonHead);
}

const doneMark = Buffer.from("[DONE]");
const nothing = Buffer.alloc(0);

/** Every event begins with its type, as a rule; one that does not is passed on like any other. */
const errorEventType = /^\s*\{\s*"type"\s*:\s*"(error|response\.(?:completed|incomplete|failed))"/;

/** So far its type reaches. */
const headBytes = 64;

const catalogue = recordToMap(errorCatalog);

/** An error of an upstream's own has no status in the middle of a stream. */
function statusOf(code: string | undefined): number {
  return catalogue.get(code ?? "")?.status ?? errorCatalog.upstream_incomplete.status;
}

/** Headers of a refusal, given as names and values in turn, but for what describes its body. */
function sentHeaders(headers: readonly string[]): JsonObject {
  const told = splitRawHeadersIntoPairs(headers);
  return Object.fromEntries(told.filter(([name]) => !name.startsWith("content-")));
}
