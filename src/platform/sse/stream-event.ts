/** One event of an event stream; `name` is undefined where the stream names none. */
export interface StreamEvent {
  readonly name: string | undefined;
  readonly data: string;
}
