import OpenAI from "openai";

/** What the vendor's own client adds a stream up to; rejects as it does. */
export async function accumulate(stream: string): Promise<OpenAI.Chat.ChatCompletion> {
  const client = new OpenAI({
    apiKey: "unused",
    baseURL: "http://gateway.test/v1",
    maxRetries: 0,
    fetch: () =>
      Promise.resolve(new Response(stream, { headers: { "content-type": "text/event-stream" } })),
  });
  return await client.chat.completions
    .stream({ model: "any", messages: [{ role: "user", content: "any" }] })
    .finalChatCompletion();
}
