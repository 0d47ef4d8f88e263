import type { CallCase, Ending, RawCase } from "../fuzz-case.ts";
import { cutAt } from "./pieces.ts";

/** The same call over HTTP/1.1 on a connection of its own, in pieces; it is to be kept open. */
export function rawCall(call: CallCase, cuts: readonly number[], ending: Ending = "wait"): RawCase {
  const { method, path, headers, body = Buffer.alloc(0), service, tolerates } = call;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `content-length: ${body.length}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join("")}${length}\r\n`;
  // The head alone, then the body: so most clients send a call.
  const pieces = [Buffer.from(head, "latin1"), ...cutAt(body, cuts)];
  return { kind: "raw", reads: "http1", service, pieces, ending, tolerates };
}
