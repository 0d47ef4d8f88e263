/** What a client's user gets of one prompt. */
export interface SessionResponse {
  /** The last words of the model. */
  readonly text: string;
  /** Tools that it called on the way, in order. */
  readonly calls: readonly CalledTool[];
}

export interface CalledTool {
  readonly name: string;
  readonly input: unknown;
}

/** A client that keeps its history and runs its tools, as coding clients do. */
export interface Session {
  ask(prompt: string): Promise<SessionResponse>;
}

/** Rounds of tools, which no prompt of these sessions needs. */
export const mostRounds = 6;

/** A picture of one pixel. */
export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
