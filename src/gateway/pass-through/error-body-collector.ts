import { ByteCollector } from "../../platform/byte-collector.ts";
import type { StreamStage } from "./stage.ts";

/** More of an error than this is not read. */
const maxBytes = 64 * 1024;

/**
 * Gathers a body that the caller hears of as an error, and tells it once: when it
 * ends, breaks off or grows too long. What follows is let go.
 */
export abstract class ErrorBodyCollector implements StreamStage<Buffer> {
  readonly #body = new ByteCollector();
  #isHandled = false;

  /** Called once with what came. */
  protected abstract handle(body: Buffer): void;

  push(chunk: Buffer): boolean {
    if (this.#isHandled) return true;
    this.#body.push(chunk);
    if (this.#body.length > maxBytes) this.finish();
    return true;
  }

  finish(): void {
    if (this.#isHandled) return;
    this.#isHandled = true;
    this.handle(this.#body.take());
  }

  fail(): void {
    this.finish();
  }
}
