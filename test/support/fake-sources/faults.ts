import { gzipSync } from "node:zlib";
import type { Fault } from "./fake-sources.ts";

/** A status and nothing that can be read. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}): Fault {
  return (response) =>
    response.writeHead(code, { "content-type": "text/html", ...headers }).end("<html>no</html>");
}

/** Too many requests; `seconds` as `Retry-After` if given. */
export function tooMany(seconds?: number): Fault {
  return status(429, seconds === undefined ? {} : { "retry-after": String(seconds) });
}

/** JSON that ends in the middle of it. */
export const truncatedJson: Fault = (response) =>
  response
    .writeHead(200, { "content-type": "application/json" })
    .end('{"name": "half", "versions": {"1.0.0": {"depre');

/** A page in place of data. */
export const htmlPage: Fault = (response) =>
  response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><html></html>");

/** Says how much comes, and closes before it has come. */
export const brokenOff: Fault = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
  response.write('{"name": "half"');
  setTimeout(() => response.destroy(), 20);
};

/** Begins and never ends. */
export const stalled: Fault = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"name": "slow"');
};

/** Leads to itself. */
export const redirectLoop: Fault = (response, { path }) =>
  response.writeHead(302, { location: path }).end();

/** A little that unpacks to much. */
export const gzipBomb: Fault = (response) =>
  response
    .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
    .end(
      gzipSync(Buffer.concat([Buffer.from('{"readme": "'), Buffer.alloc(40 * 1024 * 1024, 0x61)])),
    );

/** Gzip that ends in the middle of it. */
export const truncatedGzip: Fault = (response) => {
  const whole = gzipSync(JSON.stringify({ name: "zip", text: "abc".repeat(100) }));
  response.writeHead(200, { "content-encoding": "gzip" }).end(whole.subarray(0, whole.length - 20));
};
