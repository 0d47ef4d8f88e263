/**
 * What one listening port bears. All times are in milliseconds. Node's and Fastify's own
 * defaults do not serve: Fastify sets the request timeout to 0, which switches Node's off.
 */
export interface FrontLimits {
  /** Connections at once; one more is closed before it has sent anything. */
  readonly maxConnections: number;
  /** From the connection to its first byte. */
  readonly firstByteMs: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the last byte of its body. */
  readonly requestMs: number;
  /** An open connection without a request. Longer than the 60 s that load balancers keep theirs. */
  readonly keepAliveMs: number;
  /** How often expired requests are looked for: the precision of the two limits above. */
  readonly checkMs: number;
  /** Bytes of all headers of one request together. */
  readonly maxHeaderBytes: number;
  /** Requests at once on one HTTP/2 connection. */
  readonly maxStreams: number;
  /** After the drain deadline: time to write a last event to each open stream. */
  readonly farewellMs: number;
}

export const defaultFrontLimits: FrontLimits = {
  maxConnections: 10_000,
  firstByteMs: 10_000,
  headersMs: 20_000,
  requestMs: 120_000,
  keepAliveMs: 72_000,
  checkMs: 1000,
  maxHeaderBytes: 16_384,
  maxStreams: 250,
  farewellMs: 1000,
};
