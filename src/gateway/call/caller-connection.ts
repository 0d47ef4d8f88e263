import type { IncomingHttpHeaders } from "node:http";

/** Where a call comes from: a request, or what stands for one that came before. */
export interface CallSource {
  readonly headers: IncomingHttpHeaders;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "end", listener: () => void): unknown;
}

/** Where the answer of a call goes: the response to its caller, or what stands for one who need not wait. */
export interface CallerConnection {
  readonly statusCode: number;
  readonly writableNeedDrain: boolean;
  readonly writableFinished: boolean;
  /** `headers`: names and values in turn. */
  writeHead(status: number, headers: string[]): unknown;
  write(chunk: Buffer | undefined): boolean;
  end(chunk?: Buffer): unknown;
  end(text: string, encoding: "latin1"): unknown;
  destroy(): unknown;
  on(event: "drain", listener: () => void): unknown;
  once(event: "drain", listener: () => void): unknown;
  prependListener(event: "close", listener: () => void): unknown;
}
