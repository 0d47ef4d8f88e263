import type { Logger } from "pino";
import type { DialDeniedError } from "../../platform/dial/dial-denied-error.ts";

/**
 * Tells the operator which sources are not dialled, and what would allow it: behind a
 * name server of a network's own, public names lead to private addresses. Once for each.
 */
export class BlockedDataSourceLog {
  readonly #log: Logger;
  readonly #told = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  report(origin: string, { message }: DialDeniedError): void {
    if (this.#told.has(origin)) return;
    this.#told.add(origin);
    this.#log.warn({ source: origin, refusal: message }, "a source of packages is not dialled");
  }
}
