import type { ErrorCode } from "../../platform/errors.ts";
import { errorDocUrl } from "../../transport/docs/errors-page.ts";

/**
 * Where callers reach a service: as configured, else the address that it
 * listens on, which is known only once it does.
 */
export class ServicePublicUrl {
  #url: string | undefined;

  constructor(configured: string | undefined) {
    this.#url = configured;
  }

  /** Tells where the service listens; a configured address stays. */
  listening(url: string): void {
    this.#url ??= url;
  }

  /** Without a trailing slash. Throws before the service listens when none is configured. */
  readonly url = (): string => {
    if (this.#url === undefined) throw new Error("The service does not listen yet.");
    return this.#url;
  };

  /** The page that explains errors, at the code; undefined for an error of an upstream's own. */
  readonly docUrl = (code: ErrorCode | undefined): string =>
    code === undefined ? `${this.url()}/docs/errors` : errorDocUrl(this.url(), code);
}
