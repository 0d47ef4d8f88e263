/**
 * What one listening port bears. All times are in milliseconds. Node's and Fastify's own
 * defaults do not serve: Fastify sets the request timeout to 0, which switches Node's off.
 */
export interface HttpListenerLimits {
  /** Open connections. When there are so many, see `InboundConnectionLimiter`. */
  readonly maxConnections: number;
  /** Open connections of one network address that is not a trusted proxy. */
  readonly maxAddressConnections: number;
  /** Connections of one network address that are never closed for another address while they are busy. */
  readonly minAddressConnections: number;
  /** From the connection to its first byte. */
  readonly firstByteMs: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the last byte of its body. */
  readonly requestMs: number;
  /** From an answer to the end of a body that nobody reads, if it declares no length. */
  readonly unreadMs: number;
  /** An open connection without a request. Longer than the 60 s that load balancers keep theirs. */
  readonly keepAliveMs: number;
  /** How often expired requests are looked for: the precision of the limits above and of `untakenMs`. */
  readonly checkMs: number;
  /** Bytes of all headers of one request together. */
  readonly maxHeaderBytes: number;
  /** Requests at once on one HTTP/2 connection. */
  readonly maxStreams: number;
  /**
   * Bytes of control frames that an HTTP/2 connection may send in a second: of whatever is
   * neither headers nor a body. A burst may have as many more.
   */
  readonly maxControlBytesPerSecond: number;
  /** How long a connection may take none of the bytes of the answers that wait for it. */
  readonly untakenMs: number;
  /** Unread bytes of whole answers of one HTTP/2 connection beyond which its next requests wait. */
  readonly maxUnreadConnectionBytes: number;
  /** Unread bytes of the answers of all connections. */
  readonly maxUnreadBytes: number;
  /** After the drain deadline: time to write a last event to each open stream. */
  readonly goawayGraceMs: number;
}

export const defaultHttpListenerLimits: HttpListenerLimits = {
  maxConnections: 10_000,
  maxAddressConnections: 2500,
  minAddressConnections: 1000,
  firstByteMs: 10_000,
  headersMs: 20_000,
  requestMs: 120_000,
  unreadMs: 5000,
  keepAliveMs: 72_000,
  checkMs: 1000,
  maxHeaderBytes: 16_384,
  maxStreams: 250,
  maxControlBytesPerSecond: 1024 * 1024,
  untakenMs: 30_000,
  maxUnreadConnectionBytes: 1024 * 1024,
  maxUnreadBytes: 256 * 1024 * 1024,
  goawayGraceMs: 1000,
};
