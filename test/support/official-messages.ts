import Anthropic from "@anthropic-ai/sdk";

/** What the official client makes of the text of a messages stream, without what it adds itself. */
export async function officialMessage(stream: string): Promise<Anthropic.Message> {
  const client = new Anthropic({
    apiKey: "unused",
    maxRetries: 0,
    fetch: async () =>
      new Response(stream, { headers: { "content-type": "text/event-stream; charset=utf-8" } }),
  });
  const message = await client.messages
    .stream({ model: "m", max_tokens: 16, messages: [{ role: "user", content: "hello" }] })
    .finalMessage();
  return JSON.parse(JSON.stringify({ ...message, parsed_output: undefined }));
}
