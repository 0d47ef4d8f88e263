import { onTestFinished, describe, expect, it } from "vitest";
import { createServer, request, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { ConformanceDialectName } from "../../src/conformance/case-request.ts";
import { runConformance } from "../../src/conformance/run-conformance.ts";
import { startFakeUpstream } from "../support/fake-upstream.ts";
import { startModelApp } from "../gateway/model-app.ts";
import { fakeModel } from "./fake-model.ts";

const model = "custom/acme/m";

/** An answer on its way through a gateway. */
interface Passing {
  status: number;
  readonly headers: IncomingHttpHeaders;
  body: string;
  readonly asked: string;
}

type Spoil = (passing: Passing) => void;

/**
 * A gateway that would be faultless over the model double, if `spoil` did nothing.
 */
async function startGateway(spoil: Spoil, dialect: ConformanceDialectName): Promise<URL> {
  const upstream = await startModel(dialect);
  let calls = 0;
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => void chunks.push(chunk));
    incoming.on("end", () => {
      void (async () => {
        const asked = Buffer.concat(chunks).toString();
        const own = answerItself(incoming.url ?? "", incoming.headers, asked);
        const answer = own ?? (await forward(upstream, incoming.url ?? "", incoming.method, asked));
        const passing: Passing = { ...answer, asked };
        calls += 1;
        Object.assign(passing.headers, { "x-request-id": `r${calls}`, "request-id": `r${calls}` });
        delete passing.headers["content-length"];
        delete passing.headers["transfer-encoding"];
        spoil(passing);
        outgoing.writeHead(passing.status, passing.headers).end(passing.body);
      })();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

interface Model {
  readonly port: number;
  readonly token: string;
}

/** The double itself, or our own gateway before it for a dialect that it does not speak. */
async function startModel(dialect: ConformanceDialectName): Promise<Model> {
  const { port, origin } = await startFakeUpstream(fakeModel);
  if (dialect !== "responses") return { port, token: "" };
  const app = await startModelApp();
  app.addEndpoint({ baseUrl: new URL(`${origin}/v1`) });
  return { port: app.port, token: app.token };
}

type Plain = Omit<Passing, "asked">;

/** What a gateway answers without its upstream. */
function answerItself(
  path: string,
  headers: IncomingHttpHeaders,
  asked: string,
): Plain | undefined {
  const key = headers.authorization ?? headers["x-api-key"];
  if (key !== "Bearer right" && key !== "right") return refusal(path, 401);
  if (path.endsWith("count_tokens")) return plain(200, { input_tokens: asked.length });
  if (asked === "") return undefined;
  const body = parse(asked);
  if (body === undefined || body.model === undefined) return refusal(path, 400);
  return body.model === model ? undefined : refusal(path, 404);
}

function parse(text: string): { readonly model?: string } | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function refusal(path: string, status: number): Plain {
  const error = { type: "invalid_request_error", message: "No." };
  const isMessages = path.includes("/messages");
  return plain(
    status,
    isMessages ? { type: "error", error } : { error: { ...error, param: null, code: null } },
  );
}

function plain(status: number, body: object): Plain {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function forward(
  { port, token }: Model,
  path: string,
  method: string | undefined,
  body: string,
): Promise<Plain> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const call = request({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => void chunks.push(chunk));
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    call.on("error", reject).end(body);
  });
}

async function failedCases(
  dialect: ConformanceDialectName,
  spoil: Spoil,
): Promise<readonly string[]> {
  const baseUrl = await startGateway(spoil, dialect);
  const gateway = { baseUrl, key: "right", timeoutMs: 5000 };
  const report = await runConformance({ gateway, model, dialects: [dialect] });
  expect(report.failed + report.passed + report.skipped).toBe(report.cases.length);
  return report.cases.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
}

const isStream = ({ headers }: Passing) => String(headers["content-type"]).startsWith("text/event");

/** Changes streams only. */
const inStreams =
  (change: (body: string) => string): Spoil =>
  (passing) => {
    if (isStream(passing)) passing.body = change(passing.body);
  };

const inWholes =
  (change: (body: string) => string): Spoil =>
  (passing) => {
    if (!isStream(passing) && passing.status === 200) passing.body = change(passing.body);
  };

const dropEvent = (type: string) => (body: string) =>
  body
    .split("\n\n")
    .filter((frame) => !frame.startsWith(`event: ${type}\n`))
    .join("\n\n");

describe("a faultless gateway", () => {
  it.each(["chat", "messages", "responses"] as const)("fails no case of %s", async (dialect) => {
    expect(await failedCases(dialect, () => {})).toEqual([]);
  });
});

const chatFaults: readonly [string, Spoil, readonly string[]][] = [
  [
    "gives every call the index 0",
    inStreams((body) => body.replaceAll(/("tool_calls":\[\{[^[\]]*?"index":)\d/g, "$10")),
    ["parallel-tools-streamed", "parallel-tools-grammar"],
  ],
  [
    "leaves [DONE] out",
    inStreams((body) => body.replace("data: [DONE]\n\n", "")),
    ["stream-grammar", "tool-call-grammar"],
  ],
  [
    "cuts its streams off before the end",
    inStreams((body) => body.slice(0, body.lastIndexOf('data: {"id"', body.length - 700))),
    ["hello-streamed", "stream-grammar", "tool-call-streamed", "usage-streamed"],
  ],
  [
    "tells a call without arguments as an empty text",
    (passing) =>
      void (passing.body = passing.body.replaceAll('"arguments":"{}"', '"arguments":""')),
    ["empty-input-whole"],
  ],
  [
    "drops system messages",
    (passing) => {
      if (passing.asked.includes("lighthouse. You speak")) {
        passing.body = passing.body.replaceAll(/"prompt_tokens":\d+/g, '"prompt_tokens":5');
      }
    },
    ["system", "system-inside"],
  ],
  [
    "ends a cut answer with stop",
    (passing) => void (passing.body = passing.body.replaceAll('"length"', '"stop"')),
    ["length-whole", "length-streamed"],
  ],
  [
    "counts the input of streams twice",
    inStreams((body) =>
      body.replaceAll(/"prompt_tokens":(\d+)/g, (_all, n) => `"prompt_tokens":${Number(n) * 2}`),
    ),
    ["usage-streamed", "usage-equal"],
  ],
  [
    "answers errors in a shape of its own",
    (passing) => {
      if (passing.status >= 400) passing.body = '{"error":"bad_request","message":"No."}';
    },
    ["error-not-json", "error-no-model", "error-unknown-model", "error-wrong-key", "error-no-key"],
  ],
  [
    "answers every refusal with 500",
    (passing) => void (passing.status >= 400 && (passing.status = 500)),
    ["error-not-json", "error-unknown-model", "error-wrong-key"],
  ],
  [
    "sends streams as JSON",
    (passing) => {
      if (isStream(passing)) passing.headers["content-type"] = "application/json";
    },
    ["hello-streamed", "stream-grammar"],
  ],
  [
    "breaks letters of several bytes",
    inStreams((body) => body.replaceAll("本", "\u{fffd}")),
    ["unicode-streamed"],
  ],
  [
    "gives every answer one id",
    (passing) => void (passing.body = passing.body.replaceAll(/"chatcmpl_double\d+"/g, '"same"')),
    ["concurrent-streams", "ids"],
  ],
  [
    "takes the words of a schema as a call",
    inWholes((body) => body.replace('"{\\"name\\":\\"Ada\\",\\"age\\":36}"', "null")),
    ["structured-output"],
  ],
  ["names no calls", (passing) => void delete passing.headers["x-request-id"], ["request-id"]],
  [
    "sends pings as events",
    inStreams((body) => `event: ping\ndata: {}\n\n${body}`),
    ["hello-streamed", "stream-grammar"],
  ],
];

const messagesFaults: readonly [string, Spoil, readonly string[]][] = [
  [
    "leaves the event names out",
    inStreams((body) => body.replaceAll(/^event: .*\n/gm, "")),
    ["hello-streamed", "stream-grammar"],
  ],
  ["leaves message_stop out", inStreams(dropEvent("message_stop")), ["hello-streamed"]],
  [
    "leaves the last blank line out",
    inStreams((body) => body.replace(/\n$/, "")),
    ["hello-streamed", "stream-grammar"],
  ],
  [
    "begins twice",
    inStreams((body) => body.replace(/^event: message_start\n.*\n\n/, "$&$&")),
    ["hello-streamed", "stream-grammar"],
  ],
  [
    "numbers blocks from 1",
    inStreams((body) => body.replaceAll(/"index":(\d)/g, (_all, n) => `"index":${Number(n) + 1}`)),
    ["hello-streamed", "stream-grammar", "tool-call-streamed"],
  ],
  [
    "ends calls with end_turn",
    (passing) => void (passing.body = passing.body.replaceAll('"tool_use",', '"end_turn",')),
    ["tool-call-whole", "tool-call-streamed"],
  ],
  [
    "tells its reason and its usage in two events",
    inStreams((body) =>
      body.replace(
        /event: message_delta\n.*\n\n/,
        (event) => `${event}${event.replace(/"delta":\{[^}]*\}/, '"delta":{}')}`,
      ),
    ),
    ["hello-streamed", "stream-grammar"],
  ],
];

const responsesFaults: readonly [string, Spoil, readonly string[]][] = [
  [
    "does not announce its items",
    inStreams(dropEvent("response.output_item.added")),
    ["hello-streamed"],
  ],
  [
    "does not announce its parts",
    inStreams(dropEvent("response.content_part.added")),
    ["hello-streamed"],
  ],
  ["never begins", inStreams(dropEvent("response.created")), ["hello-streamed", "stream-grammar"]],
  ["never ends", inStreams(dropEvent("response.completed")), ["hello-streamed", "stream-grammar"]],
  [
    "leaves the done events out",
    inStreams(dropEvent("response.output_text.done")),
    ["stream-grammar"],
  ],
  [
    "does not number its events",
    inStreams((body) => body.replaceAll(/,"sequence_number":\d+/g, "")),
    ["stream-grammar"],
  ],
  [
    "sends pings of its own",
    inStreams((body) =>
      body.replaceAll(
        /(?=event: response.output_item.added)/g,
        'event: ping\ndata: {"type":"ping"}\n\n',
      ),
    ),
    ["hello-streamed", "stream-grammar"],
  ],
  [
    "uses the id of the call for its item",
    inStreams((body) => body.replaceAll(/"item_id":"fc_[^"]*"/g, '"item_id":"call_x"')),
    ["tool-call-streamed", "tool-call-grammar"],
  ],
  [
    "calls a cut answer completed",
    (passing) =>
      void (passing.body = passing.body.replaceAll(
        '"status":"incomplete"',
        '"status":"completed"',
      )),
    ["length-whole", "length-streamed"],
  ],
  [
    "answers without the history",
    (passing) => {
      if (passing.asked.includes("previous_response_id")) {
        passing.status = 200;
        passing.body = passing.body.replaceAll(/"input_tokens":\d+/g, '"input_tokens":1');
      }
    },
    ["previous-response-unknown"],
  ],
  [
    "leaves members out",
    (passing) => void (passing.body = passing.body.replaceAll('"parallel_tool_calls":true,', "")),
    ["hello-whole", "stream-grammar"],
  ],
];

describe.each([
  { dialect: "responses" as const, faults: responsesFaults },
  { dialect: "chat" as const, faults: chatFaults },
  { dialect: "messages" as const, faults: messagesFaults },
])("a gateway of $dialect that", ({ dialect, faults }) => {
  it.each(faults)(
    "[start.cli-conformance] %s fails the cases about it",
    async (_what, spoil, expected) => {
      const failed = await failedCases(dialect, spoil);
      expect(failed).toEqual(expect.arrayContaining([...expected]));
    },
  );
});
