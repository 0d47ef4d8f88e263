import { describe, expect, it } from "vitest";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { json, stream } from "../../support/fake-upstream.ts";
import { strictResponses, strictEvents } from "../../support/strict-responses.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { calling, cited, thoughtful, withoutUsage, type Wholes } from "./response-kinds.ts";
import type { CallerName } from "./clients.ts";
import { ask, crossPairs, type Body } from "./pairs.ts";

const schema = { type: "object", properties: {} };

/** Settings that an answer may repeat, with as little said of each as a client may. */
const asked: Record<CallerName, Body> = {
  chat: { tools: [{ type: "function", function: { name: "weather", parameters: schema } }] },
  messages: {
    tools: [{ name: "weather", input_schema: schema }],
    thinking: { type: "enabled", budget_tokens: 1024 },
    max_tokens: 5000,
  },
  responses: {
    tools: [{ type: "function", name: "weather" }],
    text: { format: { type: "json_schema", name: "city", schema } },
    reasoning: { summary: "auto" },
  },
};

const kinds: readonly [string, Wholes][] = [
  ["words and a call", calling],
  ["thoughts", thoughtful],
  ["sources", cited],
];

/** Every event of a stream, held against what strict clients demand. */
function expectStrict(caller: CallerName, text: string): void {
  const events = parseEventStreamText(text).filter(({ data }) => data !== "[DONE]");
  expect(events.length).toBeGreaterThan(3);
  for (const { data } of events) {
    expect(strictEvents[caller].safeParse(JSON.parse(data)).error).toBeUndefined();
  }
}

describe.each(crossPairs)(
  "what strict clients demand, $caller caller, $upstream upstream",
  (pair) => {
    const { caller, upstream: from } = pair;

    it.each(kinds)(
      "[answer.open-responses] is in a whole answer with %s",
      async (_kind, wholes) => {
        const { app, upstream } = await startAppWithUpstream();
        for (const whole of [wholes[from], withoutUsage(wholes[from])]) {
          upstream.play(json(whole));
          const { body } = await ask(app, pair, asked[caller]);
          expect(strictResponses[caller].safeParse(body).error).toBeUndefined();
        }
        expect(app.faults).toEqual([]);
      },
    );

    it.each(kinds)("[answer.open-responses] is in a stream with %s", async (_kind, wholes) => {
      const { app, upstream } = await startAppWithUpstream();
      for (const whole of [wholes[from], withoutUsage(wholes[from])]) {
        upstream.play(json(whole));
        expectStrict(caller, (await ask(app, pair, { ...asked[caller], stream: true })).text);
      }
      expect(app.faults).toEqual([]);
    });

    it("[answer.absent-not-null] is in a stream that was one at the upstream, too", async () => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(stream(responseFixtures[from].frames));
      expectStrict(caller, (await ask(app, pair, { ...asked[caller], stream: true })).text);
    });
  },
);
