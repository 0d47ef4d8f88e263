import OpenAI, { APIError } from "openai";
import { describe, expect, it } from "vitest";
import { json, stream } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import type { ModelApp } from "../model-app.ts";
import { ask, crossPairs, models } from "./pairs.ts";
import { begun, errorFrame } from "./upstream-frames.ts";

type OpenCaller = "chat" | "responses";

const pairs = crossPairs.flatMap(({ caller, upstream }) =>
  caller === "messages" ? [] : [{ caller, upstream }],
);

/** Status of the upstream, its own word for it, and the caller's. */
const statuses: readonly (readonly [number, string, string])[] = [
  [400, "not_a_type_of_ours", "invalid_request_error"],
  [402, "billing_error", "insufficient_quota"],
  [403, "permission_error", "permission_error"],
  [404, "not_found_error", "invalid_request_error"],
  [413, "request_too_large", "invalid_request_error"],
  [429, "rate_limit_error", "rate_limit_error"],
  [500, "api_error", "server_error"],
  [529, "overloaded_error", "server_error"],
];

/** Types that errors have inside streams, and the caller's word for the status that each would have been. */
const streamed: readonly (readonly [string, string])[] = [
  ["overloaded_error", "server_error"],
  ["api_error", "server_error"],
  ["rate_limit_error", "rate_limit_error"],
  ["invalid_request_error", "invalid_request_error"],
  ["permission_error", "permission_error"],
];

/** What the official client raises. */
async function raised(app: ModelApp, caller: OpenCaller, model: string, isStream: boolean) {
  const openai = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hello" }];
  const asked = {
    chat: () =>
      isStream
        ? openai.chat.completions.stream({ model, messages }).finalChatCompletion()
        : openai.chat.completions.create({ model, messages }),
    responses: () =>
      isStream
        ? openai.responses.stream({ model, input: "hello" }).finalResponse()
        : openai.responses.create({ model, input: "hello" }),
  };
  const error: unknown = await asked[caller]().then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof APIError)) throw new Error("The client raised nothing.");
  return error;
}

describe.each(pairs)(
  "an error's type, $caller caller, $upstream upstream",
  ({ caller, upstream: from }) => {
    it.each(statuses)(
      "[answer.error-types] follows the status: %i, whose upstream says %s, is %s",
      async (status, type, told) => {
        const { app, upstream } = await startAppWithUpstream();
        upstream.play(json({ type: "error", error: { type, message: "No." } }, status));
        for (const isStream of [false, true]) {
          const error = await raised(app, caller, models[from], isStream);
          expect([error.status, error.type]).toEqual([status, told]);
        }
      },
    );

    it.each(streamed)(
      "[answer.error-types] follows what the status would have been: %s in a stream is %s",
      async (type, told) => {
        const { app, upstream } = await startAppWithUpstream();
        upstream.play(stream([...begun[from], errorFrame(from, type, "It fell over.")]));
        const error = await raised(app, caller, models[from], true);
        expect([error.type, error.error]).toMatchObject([told, { request_id: expect.any(String) }]);
      },
    );
  },
);

it("[answer.error-types] an error's type is the upstream's own where both speak one dialect", async () => {
  const { app, upstream } = await startAppWithUpstream();
  const error = { message: "Spent.", type: "insufficient_quota", code: "credit_balance_exhausted" };
  upstream.play(json({ error }, 429));
  const { body } = await ask(app, { caller: "chat", upstream: "chat" });
  expect(body).toMatchObject({ error: { type: "insufficient_quota" } });
});
