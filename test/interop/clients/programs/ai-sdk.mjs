/** AI SDK 6 and 7: a streamed answer with tools, then a whole one that goes on. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import * as ai from "ai";
import { eachSession, toolsOf } from "./sessions.mjs";

function modelOf({ dialect, model, key, url }) {
  const settings = { baseURL: `${url}/v1`, apiKey: key };
  if (dialect === "messages") return createAnthropic(settings)(model);
  return createOpenAI(settings)[dialect](model);
}

await eachSession(async (session) => {
  const tools = Object.fromEntries(
    toolsOf(session).map(({ name, description, parameters, run }) => [
      name,
      ai.tool({ description, inputSchema: ai.jsonSchema(parameters), execute: run }),
    ]),
  );
  const shared = { model: modelOf(session), tools, stopWhen: ai.stepCountIs(6), maxRetries: 0 };
  const [opening, resuming] = session.prompts;
  const messages = [{ role: "user", content: opening }];
  const errors = [];
  const begun = ai.streamText({ ...shared, messages, onError: ({ error }) => errors.push(error) });
  const first = await begun.text;
  if (errors.length > 0) throw errors[0];
  messages.push(...(await begun.response).messages, { role: "user", content: resuming });
  const { text } = await ai.generateText({ ...shared, messages });
  return [first, text];
});
