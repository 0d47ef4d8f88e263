/** The Agents SDK over chat and responses. */
import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { eachSession, toolsOf } from "./sessions.mjs";

setTracingDisabled(true);
const models = { chat: OpenAIChatCompletionsModel, responses: OpenAIResponsesModel };

await eachSession(async (session) => {
  const { url, key, model, dialect, prompts } = session;
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const agent = new Agent({
    name: "Writer",
    model: new models[dialect](client, model),
    tools: toolsOf(session).map(({ run: execute, ...rest }) => tool({ ...rest, execute })),
  });
  const said = [];
  let history = [];
  for (const content of prompts) {
    const result = await run(agent, [...history, { role: "user", content }], { stream: true });
    await result.completed;
    said.push(result.finalOutput);
    history = result.history;
  }
  return said;
});
