import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  dials,
  model,
  startCaller,
  type BackgroundCaller,
} from "../../gateway/turn/background-caller.ts";
import { pausedStream } from "../../gateway/turn/paused-stream.ts";
import { CausewayProcess, runCauseway, type Outcome } from "../../support/causeway-process.ts";
import { closedPort } from "../../support/closed-port.ts";
import { json, text } from "../../support/fake-upstream.ts";
import { startLoopbackServer } from "../../support/loopback-server.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";

vi.setConfig({ testTimeout: 60_000 });

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

/** A caller whose model answers each message with these words, and how its command line is run. */
async function caller(...words: readonly string[]) {
  const made = await startCaller(causeway);
  made.upstream.play((response, request) => {
    const stream = pausedStream();
    void stream.script(response, request);
    stream.say(...words);
    stream.end();
  });
  const environment = { CAUSEWAY_URL: causeway.url, CAUSEWAY_KEY: made.secret };
  const chat = (flags: readonly string[], input?: string): Promise<Outcome> =>
    runCauseway(["chat", model, ...flags], { environment, ...(input !== undefined && { input }) });
  return { ...made, environment, chat };
}

/** Body of the nth call that the upstream got. */
function sentTo({ upstream }: Pick<BackgroundCaller, "upstream">, index: number): unknown {
  return JSON.parse(dials(upstream)[index]?.body.toString() ?? "null");
}

describe("causeway chat with what is piped in", () => {
  it("says it, and prints the answer and nothing else", async () => {
    const ada = await caller("Good ", "day.");
    const outcome = await ada.chat(["--system", "Be kind."], "Hello?\n");
    expect(outcome).toMatchObject({ code: 0, stdout: "Good day.\n", stderr: "" });
    expect(sentTo(ada, 0)).toMatchObject({
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Hello?" },
      ],
    });
  });

  it("puts --message before it, and needs no pipe with one", async () => {
    const ada = await caller("Yes.");
    await ada.chat(["--message", "Is it right?"], "1 + 1 = 2");
    await ada.chat(["--message", "Hello?", "--max-output-tokens", "7"]);
    expect(sentTo(ada, 0)).toMatchObject({
      messages: [{ role: "user", content: "Is it right?\n\n1 + 1 = 2" }],
    });
    expect(sentTo(ada, 1)).toMatchObject({
      messages: [{ role: "user", content: "Hello?" }],
      max_tokens: 7,
    });
  });

  it("prints the whole response with --json", async () => {
    const ada = await caller("Yes.");
    const { code, stdout } = await ada.chat(["--json"], "Hello?");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ object: "response", status: "completed", model });
  });

  it("hands the words on byte for byte", async () => {
    const words = "\u001b[31mred\u001b[0m\r\nend\n";
    const ada = await caller(words);
    const { stdout } = await ada.chat([], "Hello?");
    expect(stdout).toBe(words);
  });

  it("keeps no answer anywhere", async () => {
    const ada = await caller("Yes.");
    const { stdout } = await ada.chat(["--json"], "Hello?");
    const { id } = JSON.parse(stdout) as { id: string };
    expect((await ada.call("GET", `/v1/responses/${id}`)).status).toBe(404);
  });

  it("ends the call with Ctrl-C", async () => {
    const ada = await caller();
    const stream = pausedStream();
    ada.upstream.play(stream.script);
    const { environment } = ada;
    const chat = CausewayProcess.start(["chat", model, "--message", "Hello?"], { environment });
    onTestFinished(() => chat.signalGroup("SIGKILL"));
    await stream.begun;
    stream.say("Good");
    await vi.waitUntil(() => chat.stdout === "Good", 10_000);
    chat.signalGroup("SIGINT");
    expect(await chat.ended()).toMatchObject({
      code: 130,
      stdout: "Good\n",
      stderr: "",
    });
    const [call] = dials(ada.upstream);
    expect(await call?.closed).toBeGreaterThan(0);
  });
});

describe("an answer that cannot be had", () => {
  it("is told as other commands tell it", async () => {
    const { environment, chat } = await caller("Yes.");
    const run = (words: readonly string[], others: Readonly<Record<string, string>> = {}) =>
      runCauseway(["chat", ...words], { environment: { ...environment, ...others }, input: "Hi" });
    const unknown = await run(["nobody/other"]);
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toMatch(
      /^no_vendor_credential.*custom\/box\/m.*\nSee http\S+#no_vendor_credential\n$/s,
    );
    const badKey = await run([model], { CAUSEWAY_KEY: "cwk_junk" });
    expect(badKey).toMatchObject({ code: 1, stdout: "" });
    expect(badKey.stderr).toMatch(
      /^unauthorized: .+\nSee \S+\nSet CAUSEWAY_KEY to a caller key \(cwk_…\)\.\n$/,
    );
    const url = `http://127.0.0.1:${await closedPort()}`;
    const away = await run([model], { CAUSEWAY_URL: url });
    expect(away).toMatchObject({ code: 1, stdout: "" });
    expect(away.stderr).toContain(`${url} cannot be reached: connect ECONNREFUSED`);
    expect(away.stderr).toContain("CAUSEWAY_URL");
    expect(await chat(["--session", "a b"], "Hi")).toMatchObject({ code: 2, stdout: "" });
    const { origin } = await startLoopbackServer((_, response) =>
      response.writeHead(404).end("no"),
    );
    const other = await run([model], { CAUSEWAY_URL: origin });
    expect(other.stderr).toContain(`${origin} does not answer as a Causeway server does: HTTP 404`);
  });

  it("is told in the upstream's words where the upstream refused", async () => {
    const { upstream, chat } = await caller();
    upstream.play(json({ error: { message: "Out of words.", type: "teapot" } }, 400));
    const refused = await chat([], "Hi");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("invalid_request_error: Out of words.");
  });

  it("is told behind what was said before the upstream failed", async () => {
    const { upstream, chat } = await caller();
    upstream.play((response, request) => {
      const stream = pausedStream();
      void stream.script(response, request);
      stream.say("Good");
      setImmediate(() => stream.drop());
    });
    const broken = await chat([], "Hi");
    expect(broken).toMatchObject({ code: 1, stdout: "Good\n" });
    expect(broken.stderr).toMatch(/^server_error: The upstream `custom\/box` broke off/);
  });

  it("ends with 2 where nothing is said", async () => {
    const { chat } = await caller();
    for (const input of [undefined, " \n"]) {
      const { code, stderr } = await chat([], input);
      expect(code).toBe(2);
      expect(stderr).toContain("error: there is no message: pipe it in");
    }
  });
});

describe("an answer that is not whole", () => {
  it("ends with 1, so that nobody takes it for one", async () => {
    const { upstream, chat } = await caller();
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const frames = `${chunk({ content: "Once upon" }, null)}${chunk({}, "length")}data: [DONE]\n\n`;
    upstream.play(text(frames, 200, { "content-type": "text/event-stream" }));
    expect(await chat([], "Hi")).toMatchObject({
      code: 1,
      stdout: "Once upon\n",
      stderr: "The answer is not whole: incomplete: max_output_tokens.\n",
    });
  });
});
