/** LangChain's agents with its models of both vendors. */
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { eachSession, toolsOf } from "./sessions.mjs";

function modelOf({ dialect, url, key, model }) {
  const shared = { model, apiKey: key, maxRetries: 0 };
  if (dialect === "messages") return new ChatAnthropic({ ...shared, anthropicApiUrl: url });
  const configuration = { baseURL: `${url}/v1` };
  return new ChatOpenAI({ ...shared, configuration, useResponsesApi: dialect === "responses" });
}

/** Asking for messages makes it stream its calls of the model. */
const streamMode = ["values", "messages"];

await eachSession(async (session) => {
  const tools = toolsOf(session).map(({ name, description, parameters, run }) =>
    tool(run, { name, description, schema: parameters }),
  );
  const agent = createAgent({ model: modelOf(session), tools });
  const said = [];
  let messages = [];
  for (const content of session.prompts) {
    const input = { messages: [...messages, { role: "user", content }] };
    for await (const [mode, part] of await agent.stream(input, { streamMode })) {
      if (mode === "values") messages = part.messages;
    }
    said.push(messages.at(-1).text);
  }
  return said;
});
