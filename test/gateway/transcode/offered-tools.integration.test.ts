import { describe, expect, it } from "vitest";
import { json } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { readError } from "../call.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { ask, crossPairs, type Body, type Pair } from "./pairs.ts";

async function start({ upstream: from }: Pair) {
  const { app, upstream } = await startAppWithUpstream();
  upstream.play(json(responseFixtures[from].whole));
  return { app, upstream };
}

const schema = { type: "object", properties: { city: { type: "string" } } };

/** A tool of the caller's own, and one that its vendor runs, in each dialect. */
const tools = {
  chat: {
    own: { type: "function", function: { name: "weather", parameters: schema } },
    hosted: { type: "browser" },
    named: { type: "function", function: { name: "weather" } },
    required: "required",
  },
  messages: {
    own: { name: "weather", input_schema: schema },
    hosted: { type: "code_execution_20250825", name: "code_execution" },
    named: { type: "tool", name: "weather" },
    required: { type: "any" },
  },
  responses: {
    own: { type: "function", name: "weather", parameters: schema, strict: false },
    hosted: { type: "code_interpreter", container: { type: "auto" } },
    named: { type: "function", name: "weather" },
    required: "required",
  },
} as const;

describe.each(crossPairs)("a hosted tool, $caller caller, $upstream upstream", (pair) => {
  const { own, hosted, named, required } = tools[pair.caller];
  const auto = pair.caller === "messages" ? { type: "auto" } : "auto";
  const none = pair.caller === "messages" ? { type: "none" } : "none";

  it.each([undefined, auto, none, named])(
    "[client-fields.offered-tools] that is only offered is left out with the tool_choice %j",
    async (choice) => {
      const { app, upstream } = await start(pair);
      const asked = { tools: [hosted, own], ...(choice !== undefined && { tool_choice: choice }) };
      const reply = await ask(app, pair, asked);
      expect(reply.status).toBe(200);
      expect(reply.headers["x-svc-warnings"]).toBe('"tools[0]";action=dropped;reason=unsupported');
      const { tools: sent } = JSON.parse((await upstream.request(0)).body.toString()) as Body;
      expect(JSON.stringify(sent)).toContain('"weather"');
      expect(sent).toHaveLength(1);
    },
  );

  it("[client-fields.offered-tools] that stands alone is refused", async () => {
    const { app, upstream } = await start(pair);
    const reply = await ask(app, pair, { tools: [hosted] });
    expect([reply.status, readError(reply.body).param]).toEqual([400, "tools[0].type"]);
    expect(readError(reply.body).message).toContain("Leave it out");
    expect(upstream.requests).toHaveLength(0);
  });

  it("[client-fields.offered-tools] is refused where a tool must be called", async () => {
    const { app } = await start(pair);
    const reply = await ask(app, pair, { tools: [own, hosted], tool_choice: required });
    expect([reply.status, readError(reply.body).param]).toEqual([400, "tools[1].type"]);
  });

  it("that is left out is a refusal of a strict call", async () => {
    const { app } = await start(pair);
    const reply = await ask(app, pair, { tools: [own, hosted] }, { "x-svc-strict": "true" });
    expect([reply.status, readError(reply.body).param]).toEqual([400, "tools[1]"]);
  });
});

it.each([
  ["messages", { type: "tool", name: "code_execution" }],
  ["responses", { type: "code_interpreter" }],
] as const)("a hosted tool that a choice names is refused (%s)", async (caller, choice) => {
  const pair: Pair = { caller, upstream: "chat" };
  const { app } = await start(pair);
  const { own, hosted } = tools[caller];
  const reply = await ask(app, pair, { tools: [own, hosted], tool_choice: choice });
  expect([reply.status, readError(reply.body).param]).toEqual([400, "tools[1].type"]);
});
