export type DialectName = "chat" | "messages" | "responses";

/** What a caller asks for. */
export interface WireRequest {
  readonly model: string;
  /** Output tokens at most. */
  readonly cap: number;
  readonly isStream: boolean;
  readonly prompt: string;
}

/** What an upstream says, and what it tells of the tokens. */
export interface WireResponse {
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
  request(asked: WireRequest): object;
  /** The output cap of a request as an upstream gets it. */
  capOf(body: Readonly<Record<string, unknown>>): number;
  /** A whole answer. */
  whole(said: WireResponse): object;
  /** The parts of a stream of events. */
  opening(said: WireResponse): string;
  piece(said: WireResponse, index: number): string;
  closing(said: WireResponse): string;
  /** Stands in every stream that has come to its end, and in no other. */
  readonly lastWords: string;
}

/** A server-sent event with a name. */
export function namedEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
