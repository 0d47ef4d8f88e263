import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { json, stream } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { frameWithoutUsage, withoutUsage } from "./response-kinds.ts";
import { dialectClients, type CallerName } from "./clients.ts";
import { crossPairs, models, type Body } from "./pairs.ts";

/** What every upstream of the fixtures says: words and the arguments of a call. */
const output = Math.ceil(`Hé! 🙂{"city":"Zürich"}`.length / 4);

function silent(upstream: CallerName, form: "whole" | "streamed") {
  const { whole, frames } = responseFixtures[upstream];
  return form === "whole"
    ? json(withoutUsage(whole as Body))
    : stream(frames.map(frameWithoutUsage));
}

describe.each(crossPairs)(
  "usage that no upstream told, $caller caller, $upstream upstream",
  (pair) => {
    it.each(["whole", "streamed"] as const)(
      "[answer.usage-estimated] is estimated, %s",
      async (form) => {
        const { app, upstream } = await startAppWithUpstream();
        upstream.play(silent(pair.upstream, form));
        const answer = await dialectClients(app)[pair.caller][form](models[pair.upstream]);
        expect(answer.output).toBe(output);
        expect(answer.input).toBeGreaterThan(30);
        expect((await app.record(0)).requestBytes).toBeLessThanOrEqual(4 * (answer.input ?? 0));
        expect(app.notes[0]).toMatchObject({ isEstimated: true });
      },
    );
  },
);

describe.each(["chat", "responses"] as const)("usage of a message, %s upstream", (from) => {
  const messages = [{ role: "user" as const, content: "hello" }];

  it.each(["whole", "streamed"] as const)(
    "[answer.messages-caches] always counts caches, %s",
    async (form) => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(silent(from, form));
      const anthropic = new Anthropic({ baseURL: app.origin, apiKey: app.token, maxRetries: 0 });
      const body = { model: models[from], max_tokens: 100, messages };
      const { usage, content } =
        form === "whole"
          ? await anthropic.messages.create(body)
          : await anthropic.messages.stream(body).finalMessage();
      expect(usage).toMatchObject({ cache_creation_input_tokens: 0, cache_read_input_tokens: 0 });
      expect(content[0]).toEqual({ type: "text", text: "Hé! 🙂" });
    },
  );
});
