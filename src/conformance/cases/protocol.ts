import { objectOrEmpty } from "../grammar/fields.ts";
import type { TestedGatewayResponse } from "../http/gateway-client.ts";
import { failCaseUnless, skipCaseUnless } from "../outcome.ts";
import type { ConformanceClient } from "../dialect-client.ts";
import { isCount, isNonEmptyString } from "../dialect/shape.ts";
import { asArrayOrEmpty } from "../../platform/json-value.ts";
import { helloRequest } from "./requests.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { expectNoViolations } from "./expectations.ts";

const wrongKey = "sk-this-key-is-wrong";

/** Errors, credentials, ids and the operations beside the model call. */
export const httpProtocolConformanceCases: readonly ConformanceCase[] = [
  {
    name: "error-not-json",
    requirement: "A body that is no JSON is a 400 that the official client can read.",
    needsModel: false,
    run: async (probe) => expectError(probe, await probe.post("{"), [400]),
  },
  {
    name: "error-no-model",
    requirement: "A body without a model is a 4xx that the official client can read.",
    needsModel: false,
    async run(probe) {
      const { model: _, ...body } = probe.bodyOf(helloRequest, false);
      expectError(probe, await probe.post(body), [400, 404, 422]);
    },
  },
  {
    name: "error-no-messages",
    requirement: "A body without messages or input is a 400 that the official client can read.",
    needsModel: true,
    run: async (probe) => expectError(probe, await probe.post({ model: probe.model }), [400, 422]),
  },
  {
    name: "error-wrong-type",
    requirement: "A member of a wrong type is a 400, also where a stream was asked for.",
    needsModel: true,
    async run(probe) {
      const body = { ...probe.bodyOf(helloRequest, true), tools: "none" };
      expectError(probe, await probe.post(body), [400, 422]);
    },
  },
  {
    name: "error-unknown-model",
    requirement: "A model that is not there is a 4xx that the official client can read.",
    needsModel: false,
    async run(probe) {
      const body = { ...probe.bodyOf(helloRequest, false), model: "no-such-model-anywhere" };
      expectError(probe, await probe.post(body), [400, 403, 404]);
    },
  },
  {
    name: "error-unknown-model-streamed",
    requirement:
      "The same refusal comes as a status, not as a stream, where a stream was asked for.",
    needsModel: false,
    async run(probe) {
      const body = { ...probe.bodyOf(helloRequest, true), model: "no-such-model-anywhere" };
      expectError(probe, await probe.post(body), [400, 403, 404]);
    },
  },
  {
    name: "error-wrong-key",
    requirement: "A wrong key is a 401 that the official client can read.",
    needsModel: false,
    async run(probe) {
      const credentials = probe.speech.credentials(wrongKey);
      const body = probe.bodyOf(helloRequest, false);
      expectError(probe, await probe.post(body, undefined, credentials), [401]);
    },
  },
  {
    name: "error-no-key",
    requirement: "No key is a 401 that the official client can read.",
    needsModel: false,
    async run(probe) {
      const body = probe.bodyOf(helloRequest, false);
      expectError(probe, await probe.post(body, undefined, {}), [401]);
    },
  },
  {
    name: "key-either-way",
    requirement: "The key is taken from `authorization` as well as from `x-api-key`.",
    dialects: ["messages"],
    needsModel: true,
    async run(probe) {
      const { "anthropic-version": version = "", ...credentials } = probe.credentials();
      for (const [name, value] of Object.entries(credentials)) {
        const headers = { "anthropic-version": version, [name]: value };
        const { status } = await probe.post(probe.bodyOf(helloRequest, false), undefined, headers);
        failCaseUnless(status === 200, `With ${name} alone the answer is ${status}.`);
      }
    },
  },
  {
    name: "request-id",
    requirement: "Every answer names its call in the header that the official client reads.",
    needsModel: true,
    async run(probe) {
      const name = probe.speech.requestIdHeader;
      const answers = [
        await probe.sendCase(helloRequest),
        await probe.sendCase(helloRequest, true),
      ];
      const refused = await probe.post("{");
      const ids = [...answers, refused].map(({ headers }) => headers.get(name));
      failCaseUnless(ids.every(isNonEmptyString), `An answer has no ${name}.`);
      failCaseUnless(new Set(ids).size === ids.length, `Two answers have one ${name}.`);
    },
  },
  {
    name: "ids",
    requirement: "Two answers to the same request have two ids.",
    needsModel: true,
    async run(probe) {
      const { parsed: reading } = await probe.requestWhole(helloRequest);
      const second = probe.readWhole(await probe.post(probe.bodyOf(helloRequest, false)));
      failCaseUnless(reading.id !== second.parsed.id, "Both answers have one id.");
    },
  },
  {
    name: "models",
    requirement: "The list of models is one that the official client can read.",
    dialects: ["chat"],
    needsModel: false,
    async run(probe) {
      const { status, body } = await probe.get("/v1/models");
      failCaseUnless(status === 200, `The answer is ${status}.`);
      const { object, data } = objectOrEmpty(body);
      failCaseUnless(object === "list" && Array.isArray(data), "It is no list.");
      const isWhole = asArrayOrEmpty(data).every((entry) =>
        isNonEmptyString(objectOrEmpty(entry)["id"]),
      );
      failCaseUnless(isWhole, "A model has no `id`.");
    },
  },
  {
    name: "count-tokens",
    requirement: "Tokens of a request are counted, more for a longer one, and no model is needed.",
    dialects: ["messages"],
    needsModel: false,
    async run(probe) {
      const short = await countTokens(probe, "Hello");
      const long = await countTokens(probe, "Hello, lighthouse. ".repeat(50));
      failCaseUnless(long > short, `A long text has ${long} tokens, a short one ${short}.`);
    },
  },
];

function expectError(
  { speech }: ConformanceClient,
  { status, body, headers, text }: TestedGatewayResponse,
  statuses: readonly number[],
): void {
  const said = text.slice(0, 120).replaceAll(/\s+/g, " ");
  failCaseUnless(
    statuses.includes(status),
    `The answer is ${status}, not ${statuses.join(", ")}: ${said}`,
  );
  const type = headers.get("content-type") ?? "none";
  failCaseUnless(type.startsWith("application/json"), `The content type of the error is ${type}.`);
  expectNoViolations(speech.checkError(body));
}

async function countTokens(probe: ConformanceClient, content: string): Promise<number> {
  const body = { model: probe.model, messages: [{ role: "user", content }] };
  const answer = await probe.post(body, "/v1/messages/count_tokens");
  skipCaseUnless(
    answer.status !== 404 && answer.status !== 405,
    "the gateway does not count tokens",
  );
  failCaseUnless(answer.status === 200, `The answer is ${answer.status}.`);
  const { input_tokens: count } = objectOrEmpty(answer.body);
  failCaseUnless(isCount(count), "`input_tokens` is no count.");
  return count;
}
