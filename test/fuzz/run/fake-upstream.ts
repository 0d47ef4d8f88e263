import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dialectNames, samplesOf, type DialectName } from "../dialects/all-samples.ts";
import type { SampleEvent } from "../dialects/dialect-samples.ts";
import type { UpstreamAnswer } from "../fuzz-case.ts";
import { eventText } from "../generators/event-text.ts";

/** A loopback upstream of all dialects that answers as cases say, or else honestly. */
export interface FuzzUpstream {
  readonly origin: string;
  /** The word by which a request names the answer to it, wherever it stands in its body. */
  plan(answer: UpstreamAnswer): string;
  forget(word: string): void;
  close(): Promise<void>;
}

/** Starts it on a free port of 127.0.0.1. */
export async function startFuzzUpstream(): Promise<FuzzUpstream> {
  const plans = new Map<string, UpstreamAnswer>();
  let made = 0;
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    void read(request).then(
      (body) => answer(plans, request, body, response),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan: (answer) => {
      const word = `plan-${++made}-`;
      plans.set(word, answer);
      return word;
    },
    forget: (word) => void plans.delete(word),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function answer(
  plans: ReadonlyMap<string, UpstreamAnswer>,
  { method, url = "" }: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  const [word = ""] = /plan-\d+-/.exec(body) ?? [];
  const planned = plans.get(word);
  if (planned !== undefined) return write(response, planned);
  const dialect = dialectNames.find((name) => url.split("?")[0]?.endsWith(samplesOf[name].path));
  if (method === "POST" && dialect !== undefined) return answerHonestly(response, dialect, body);
  if (method === "GET" && url.includes("/models")) return list(response);
  response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"no"}}');
}

function list(response: ServerResponse): void {
  const body = '{"object":"list","data":[{"id":"m","object":"model"}]}';
  response.writeHead(200, { "content-type": "application/json" }).end(body);
}

function answerHonestly(response: ServerResponse, dialect: DialectName, body: string): void {
  const { answers, streams } = samplesOf[dialect];
  const [events = []] = streams;
  if (/"stream"\s*:\s*true/.test(body)) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(events.map((event: SampleEvent) => eventText(event)).join(""));
  } else {
    const headers = { "content-type": "application/json" };
    response.writeHead(200, headers).end(JSON.stringify(answers[0]));
  }
}

/** One write in a turn each, past Node's own checks of what a server may say. */
function write(
  { socket }: ServerResponse,
  { status, headers, pieces, ending }: UpstreamAnswer,
): void {
  if (socket === null) return;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} X\r\nconnection: close\r\n${lines.join("")}\r\n`;
  socket.on("error", () => undefined);
  const queue = [Buffer.from(head, "latin1"), ...pieces];
  const step = (): void => {
    const piece = queue.shift();
    if (piece !== undefined) socket.write(piece, () => setImmediate(step));
    else if (ending === "reset") socket.resetAndDestroy();
    else if (ending === "end") socket.destroySoon();
  };
  step();
}
