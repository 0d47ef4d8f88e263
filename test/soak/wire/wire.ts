export type DialectName = "chat" | "messages" | "responses";

/** What a caller asks for. */
export interface Asked {
  readonly model: string;
  /** Output tokens at most. */
  readonly cap: number;
  readonly isStream: boolean;
  readonly prompt: string;
}

/** What an upstream says, and what it tells of the tokens. */
export interface Said {
  readonly id: string;
  readonly pieces: readonly string[];
  readonly input: number;
  readonly output: number;
}

/** One dialect as a caller writes it and as an upstream answers in it. */
export interface Wire {
  readonly name: DialectName;
  /** Below the base address. */
  readonly path: string;
  headers(key: string): Readonly<Record<string, string>>;
  request(asked: Asked): object;
  /** The output cap of a request as an upstream gets it. */
  capOf(body: Readonly<Record<string, unknown>>): number;
  /** A whole answer. */
  whole(said: Said): object;
  /** The parts of a stream of events. */
  opening(said: Said): string;
  piece(said: Said, index: number): string;
  closing(said: Said): string;
  /** Stands in every stream that has come to its end, and in no other. */
  readonly lastWords: string;
}

/** A server-sent event with a name. */
export function namedEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
