/** Refusals as they are sent, against what the document says of them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closedPort } from "../support/closed-port.ts";
import { json, startFakeUpstream, stream, text, type Script } from "../support/fake-upstream.ts";
import { startTestInstance, type RestAnswer, type TestInstance } from "../support/test-instance.ts";
import { openValidator, type Misfit } from "../transport/support/document-validator.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

interface Published {
  readonly operations: readonly Operation[];
  readonly misfit: Misfit;
}

const documents = new Map<string, Promise<Published>>();

function published(origin: string): Promise<Published> {
  const known = documents.get(origin) ?? readPublished(origin);
  documents.set(origin, known);
  return known;
}

async function readPublished(origin: string): Promise<Published> {
  const { body: document } = await causeway.call("GET", `${origin}/openapi.json`);
  const operations = Object.entries<Record<string, { responses: Operation["responses"] }>>(
    document.paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path,
      responses,
    })),
  );
  return { operations, misfit: await openValidator(document) };
}

/** What is wrong about the answer by the document; undefined for one that is as it says, or no refusal. */
function fault({ misfit }: Published, operation: Operation, answer: RestAnswer) {
  const { status, body } = answer;
  const { method, path, responses } = operation;
  if (status < 400) return undefined;
  const response = responses[status] ?? responses[`${Math.trunc(status / 100)}XX`];
  const schema = `${response?.$ref}/content/application~1json/schema`;
  const reason = response === undefined ? "is not there" : misfit(schema, body);
  return reason === undefined ? undefined : `${method} ${path}: ${status} ${reason}`;
}

async function createTokens(): Promise<readonly (string | undefined)[]> {
  const user = await causeway.createUser();
  const { secret } = await user.createKey({ scopes: [] });
  const { secret: scoped } = await user.createKey();
  return [undefined, "cwk_junk", secret, scoped, user.session, causeway.adminToken];
}

let readers: ReturnType<typeof createTokens> | undefined;

/** One refusal after the other: of the credential, of the body, of the rest. */
async function refusals(origin: string, { method, path }: Operation): Promise<RestAnswer[]> {
  // Reading leaves a user as it is.
  const tokens = await (method === "GET" ? (readers ??= createTokens()) : createTokens());
  const bodies = method === "GET" || method === "DELETE" ? [undefined] : [[], { model: "x" }, {}];
  const place = origin + path.replaceAll(/\{\w+\}/g, "x");
  const calls = tokens.flatMap((token) => bodies.map((body) => ({ token, body })));
  const answers: RestAnswer[] = [];
  for (const options of calls) answers.push(await causeway.call(method, place, options));
  return answers;
}

describe.each(["gateway", "tools"] as const)("the document of the %s", (name) => {
  it(
    "[operations.hand-written] describes every refusal that its operations send",
    { timeout: 120_000 },
    async () => {
      const origin = name === "gateway" ? causeway.url : causeway.toolsUrl;
      const document = await published(origin);
      const faults = new Set<string | undefined>();
      // One operation at a time: all at once they wait for each other in the pool of connections.
      for (const operation of document.operations) {
        const answers = await refusals(origin, operation);
        for (const answer of answers) faults.add(fault(document, operation, answer));
      }
      faults.delete(undefined);
      expect([...faults]).toEqual([]);
    },
  );
});

const calls = [
  { path: "/v1/chat/completions", body: { messages: [{ role: "user", content: "a" }] } },
  { path: "/v1/responses", body: { input: "a" } },
  { path: "/v1/messages", body: { max_tokens: 9, messages: [{ role: "user", content: "a" }] } },
];

const scripts: readonly (readonly [what: string, script: Script])[] = [
  ["without a word", text("", 418)],
  ["with its own code", json({ error: { message: "m", type: "t", code: "c", param: "p" } }, 429)],
  ["with a code that is none", json({ error: { message: "m", code: 7, param: 8 } }, 400)],
  ["of overload", json({ type: "error", error: { type: "overloaded_error", message: "m" } }, 529)],
  ["of its credential", json({}, 401)],
  ["that is HTML", text("<html>", 200, { "content-type": "text/html" })],
  ["in a stream", stream(['event: error\ndata: {"error":{"message":"m"}}\n\n'])],
];

describe.each(calls)("the document of POST $path", ({ path, body }) => {
  it.each(scripts)(
    "[operations.hand-written] describes an upstream's error %s",
    async (_what, script) => {
      const upstream = await startFakeUpstream(json({ data: [{ id: "m" }] }));
      const token = await withEndpoint(upstream.origin);
      upstream.play(script);
      await expectDescribed(path, token, body);
    },
  );

  it("describes an upstream that is not there", async () => {
    await expectDescribed(path, await withEndpoint(`http://127.0.0.1:${await closedPort()}`), body);
  });
});

/** A caller key of a new user with the endpoint `up`. */
async function withEndpoint(base_url: string): Promise<string> {
  const user = await causeway.createUser();
  const body = { label: "Up", base_url, api_key: "k" };
  await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
  return (await user.createKey()).secret;
}

async function expectDescribed(path: string, token: string, body: object): Promise<void> {
  const document = await published(causeway.url);
  const operation = document.operations.find((known) => known.path === path);
  if (operation === undefined) throw new Error(`${path} is not in the document`);
  const sent = { model: "custom/up/m", ...body };
  const answer = await causeway.call("POST", path, { token, body: sent });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(fault(document, operation, answer)).toBeUndefined();
}
