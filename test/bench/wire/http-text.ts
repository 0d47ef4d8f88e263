/** Header names and values as they are written. */
export type HeaderLines = Readonly<Record<string, string>>;

function head(startLine: string, headers: HeaderLines): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${startLine}\r\n${lines.join("")}\r\n`;
}

/** A whole POST request with a JSON body. */
export function postRequest(path: string, headers: HeaderLines, body: string): string {
  const length = String(Buffer.byteLength(body));
  const all = { ...headers, "content-type": "application/json", "content-length": length };
  return head(`POST ${path} HTTP/1.1`, all) + body;
}

/** A whole 200 answer with a JSON body. */
export function jsonAnswer(body: string): string {
  const length = String(Buffer.byteLength(body));
  return (
    head("HTTP/1.1 200 OK", { "content-type": "application/json", "content-length": length }) + body
  );
}

/** The head of a 200 answer whose body is a chunked event stream. */
export function streamHead(): string {
  return head("HTTP/1.1 200 OK", {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "transfer-encoding": "chunked",
  });
}

/** One chunk of a chunked body. */
export function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** What ends a chunked body. */
export const lastChunk = "0\r\n\r\n";
