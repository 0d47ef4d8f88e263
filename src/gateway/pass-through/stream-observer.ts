import type { CallerFacingError } from "../../dialect/dialect-error.ts";
import type { DialectOperation } from "../../dialect/dialect-surface.ts";
import type { TokenUsage } from "../../dialect/usage.ts";
import { SseFrameTracker } from "../../platform/sse/frame-tracker.ts";
import type { CallerStreamFormat } from "../call/caller-response.ts";
import type { ResponseUsageMeter } from "../call/usage-meter.ts";
import { extractTokenUsageFromEvents } from "../call/extract-usage.ts";
import type { ExactUsageReader } from "./exact-usage.ts";
import { ByteTail } from "../../platform/speed/byte-tail.ts";

/** As much of the beginning as holds the first event. */
const headBytes = 2048;

/**
 * What is seen of a stream that is passed on as it is: where its frames end, whether
 * it has said all, and its beginning and end, where upstreams tell what was used.
 */
export class PassThroughStreamObserver implements ResponseUsageMeter, CallerStreamFormat {
  readonly status: number;
  readonly contentType: string;
  readonly #surface: DialectOperation;
  readonly #tracker: SseFrameTracker;
  readonly #tail = new ByteTail();
  /** Where messages tells the input tokens. */
  #head: Buffer = Buffer.alloc(0);
  readonly #exactUsage: ExactUsageReader | undefined;

  /** `exactUsage`: of a stream that is paid from credits. */
  constructor(
    surface: DialectOperation,
    status: number,
    contentType: string,
    exactUsage: ExactUsageReader | undefined,
  ) {
    this.#exactUsage = exactUsage;
    this.status = status;
    this.contentType = contentType;
    this.#surface = surface;
    this.#tracker = new SseFrameTracker(surface.readLine);
  }

  /** A first event has come. */
  get hasEvent(): boolean {
    return this.#tracker.events > 0;
  }

  /** The first event was an error. */
  get beganWithError(): boolean {
    return this.#tracker.beganWithError;
  }

  /** An error event has come. */
  get hasFailed(): boolean {
    return this.#tracker.failed;
  }

  /** Its dialect's last event, or an error, has come. */
  get isComplete(): boolean {
    return this.#tracker.ended || this.#tracker.failed;
  }

  /** Sees the next bytes; the answer is how many of them belong to complete frames. */
  push(chunk: Buffer): number {
    this.#exactUsage?.push(chunk);
    if (this.#head.length === 0) this.#head = chunk.subarray(0, headBytes);
    this.#tail.push(chunk);
    return this.#tracker.push(chunk);
  }

  /**
   * Sees the end. The answer is what the upstream left out behind its last event;
   * undefined: the stream broke off.
   */
  finish(): string | undefined {
    this.#exactUsage?.finish();
    const lacksBlankLine = this.#tracker.finish();
    const sawEnd = this.isComplete;
    const isWhole = sawEnd || this.#surface.isComplete(this.#tail.toString());
    return isWhole ? this.#surface.closingFrames({ sawEnd, lacksBlankLine }) : undefined;
  }

  serializeError(error: CallerFacingError): string {
    return this.#surface.serializeStreamError(error, this.#tail.toString());
  }

  readUsage(): TokenUsage | undefined {
    if (this.#exactUsage !== undefined) return this.#exactUsage.usage;
    const text = `${this.#head.toString("latin1")}\n${this.#tail.toString()}`;
    return extractTokenUsageFromEvents(this.#surface.dialect, text);
  }

  /** An event of a stream holds a token, as a rule; some vendors send more at once. */
  relayedTokens(): number {
    return Math.max(this.#tracker.events, this.#exactUsage?.textTokens ?? 0);
  }
}
