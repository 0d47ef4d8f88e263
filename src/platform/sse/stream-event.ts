/** One event of an event stream; `name` is undefined where the stream names none. */
export interface SseEvent {
  readonly name: string | undefined;
  readonly data: string;
}
