import type { Socket } from "node:net";
import type { buildConnector } from "undici";

/** As much as Node makes room for when it reads. */
const readBytes = 64 * 1024;

/**
 * What all connections read into: Node asks for room right before it reads, and tells at
 * once what has come.
 */
const readBuffer = Buffer.allocUnsafeSlow(readBytes);

/**
 * undici's connector, as `build` makes it, for connections without TLS, which has its own
 * buffers. Speed: docs/performance.md, `plain-connector`.
 */
export function createPlaintextConnector(
  build: typeof buildConnector,
  settings: buildConnector.BuildOptions,
): buildConnector.connector {
  return (options, callback) => {
    let reader: Socket | undefined;
    const take = (length: number): boolean => reader?.push(copyOfRead(length)) ?? false;
    const connect = build({ ...settings, onread: { buffer: readBuffer, callback: take } });
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      reader = socket;
      callback(null, socket);
    });
  };
}

function copyOfRead(length: number): Buffer {
  const copy = Buffer.allocUnsafe(length);
  readBuffer.copy(copy, 0, 0, length);
  return copy;
}
