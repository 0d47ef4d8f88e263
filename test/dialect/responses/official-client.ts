import OpenAI from "openai";
import type {
  Response as OpenAIResponse,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";

/** What the official client's helper made of a stream. */
export interface Accumulated {
  readonly response: OpenAIResponse;
  readonly events: readonly ResponseStreamEvent[];
}

/** Feeds the bytes of a stream to the official client's helper. Rejects as it does. */
export async function accumulate(stream: string): Promise<Accumulated> {
  const client = clientOf(stream);
  const helper = client.responses.stream({ model: "m", input: "hello" });
  const events: ResponseStreamEvent[] = [];
  helper.on("event", (event) => events.push(event));
  return { response: await helper.finalResponse(), events };
}

/** Iterates a stream with the official client, without its helper. */
export async function iterate(stream: string): Promise<readonly ResponseStreamEvent[]> {
  const client = clientOf(stream);
  const events: ResponseStreamEvent[] = [];
  const answer = await client.responses.create({ model: "m", input: "hello", stream: true });
  for await (const event of answer) events.push(event);
  return events;
}

/** The response as it went over the wire: without what the helper adds. */
export function withoutHelpers(response: unknown): unknown {
  return JSON.parse(
    JSON.stringify(response, (key, value: unknown) => (isAdded(key) ? undefined : value)),
  );
}

function isAdded(key: string): boolean {
  return ["output_text", "output_parsed", "parsed", "parsed_arguments"].includes(key);
}

function clientOf(stream: string): OpenAI {
  return new OpenAI({
    apiKey: "key",
    baseURL: "http://127.0.0.1/v1",
    maxRetries: 0,
    fetch: () =>
      Promise.resolve(
        new Response(stream, { headers: { "content-type": "text/event-stream; charset=utf-8" } }),
      ),
  });
}
