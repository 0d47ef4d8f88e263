/** An item as a file describes it. */
export interface ImportedAgentExtension {
  readonly kind: "skills" | "rules";
  readonly name: string;
  /** When to use a skill; rules have none. */
  readonly description?: string;
  readonly text: string;
  /** Where it was read. */
  readonly file: string;
  /** What the person should know of it. */
  readonly warnings: readonly string[];
}

/** A file that makes no item: what is wrong with it, and what to do. */
export class InvalidAgentExtensionFileError extends Error {
  override readonly name = "InvalidAgentExtensionFileError";

  constructor(file: string, message: string) {
    super(`${file}: ${message}`);
  }
}

/** What the server takes of a text, in code points. */
const maxTextLength = 100_000;

/** Throws `InvalidAgentExtensionFileError` for a text that no item can hold. */
export function assertAgentExtensionFileTextLength(file: string, text: string): void {
  if (codePointLength(text) <= maxTextLength) return;
  throw new InvalidAgentExtensionFileError(
    file,
    `has more than ${maxTextLength.toString()} characters; shorten it`,
  );
}

/** As the server counts characters. */
export function codePointLength(text: string): number {
  return Array.from(text).length;
}
