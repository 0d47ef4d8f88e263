import type { IncomingHttpHeaders } from "node:http";
import type { ConnectionClosingResponse } from "../../platform/close-behind-answer.ts";
import type { RequestBodySource } from "../../platform/collect-body.ts";
import type { HeldRequestBody } from "../../platform/body-memory-budget.ts";

/** Where a call comes from: a request, or what stands for one that came before. */
export interface InboundCallRequest extends RequestBodySource {
  readonly headers: IncomingHttpHeaders;
  /** Counts the body until the call reads it. Absent if nothing of the body has arrived. */
  readonly held?: HeldRequestBody;
}

/** Where the answer of a call goes: the response to its caller, or what stands for one who need not wait. */
export interface CallResponseWritable extends ConnectionClosingResponse {
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
