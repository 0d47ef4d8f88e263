/** What the mock upstream tells its parent: the reader of a stream closed its connection. */
export interface StreamLeft {
  readonly kind: "stream-left";
  /** On the monotonic clock that the machine's processes share. */
  readonly atMs: number;
}
