/** One exchange of a capture, with everything that has a default left out. */
export interface Exchange {
  readonly method?: string;
  readonly url: string;
  readonly status?: number;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly requestBody?: unknown;
  readonly responseBody?: unknown;
  readonly at?: string;
}

/** A HAR 1.2 object of exchanges, their bodies as JSON. */
export function harOf(exchanges: readonly Exchange[]) {
  return {
    log: {
      version: "1.2",
      creator: { name: "test", version: "1" },
      entries: exchanges.map(entryOf),
    },
  };
}

/** The same as the bytes of a body. */
export function harBytes(exchanges: readonly Exchange[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(harOf(exchanges)));
}

function entryOf({
  method = "GET",
  url,
  status = 200,
  requestHeaders = {},
  requestBody,
  responseBody,
  at = "2026-11-20T10:00:00.000Z",
}: Exchange) {
  const headers = Object.entries(requestHeaders).map(([name, value]) => ({ name, value }));
  return {
    startedDateTime: at,
    time: 1,
    request: {
      method,
      url,
      httpVersion: "HTTP/1.1",
      headers,
      cookies: [],
      queryString: [],
      ...(requestBody !== undefined && { postData: jsonText(requestBody) }),
    },
    response: {
      status,
      statusText: "",
      headers: [],
      cookies: [],
      content: responseBody === undefined ? { size: 0, mimeType: "" } : jsonText(responseBody),
    },
    cache: {},
    timings: { send: 0, wait: 1, receive: 0 },
  };
}

function jsonText(body: unknown) {
  return { mimeType: "application/json; charset=utf-8", text: JSON.stringify(body) };
}
