/** The official TypeScript clients, streamed, with their own runners of tools where they have one. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { eachSession, toolsOf } from "./sessions.mjs";

async function overChat({ url, key, model, prompts }, tools) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const functions = tools.map(({ name, description, parameters, run }) => ({
    type: "function",
    function: { name, description, parameters, parse: JSON.parse, function: run },
  }));
  const said = [];
  let messages = [];
  for (const prompt of prompts) {
    messages.push({ role: "user", content: prompt });
    const runner = client.chat.completions.runTools({
      model,
      messages,
      tools: functions,
      stream: true,
      stream_options: { include_usage: true },
    });
    said.push(await runner.finalContent());
    messages = [...runner.messages];
  }
  return said;
}

async function overMessages({ url, key, model, prompts }, tools) {
  const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
  const runnable = tools.map(({ name, description, parameters, run }) => ({
    name,
    description,
    input_schema: parameters,
    parse: (input) => input,
    run,
  }));
  const said = [];
  let messages = [];
  for (const prompt of prompts) {
    messages.push({ role: "user", content: prompt });
    const runner = client.beta.messages.toolRunner({
      model,
      max_tokens: 4000,
      messages,
      tools: runnable,
      stream: true,
    });
    for await (const stream of runner) await stream.finalMessage();
    const last = await runner.done();
    said.push(last.content.map(({ text }) => text ?? "").join(""));
    messages = [...runner.params.messages, { role: "assistant", content: last.content }];
  }
  return said;
}

async function overResponses({ url, key, model, prompts }, tools) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const functions = tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    parameters,
    strict: true,
  }));
  const said = [];
  let previous;
  for (const prompt of prompts) {
    let input = [{ role: "user", content: prompt }];
    for (;;) {
      const stream = client.responses.stream({
        model,
        input,
        tools: functions,
        ...(previous !== undefined && { previous_response_id: previous }),
      });
      const response = await stream.finalResponse();
      previous = response.id;
      const calls = response.output.filter(({ type }) => type === "function_call");
      if (calls.length === 0) {
        said.push(response.output_text);
        break;
      }
      input = await Promise.all(
        calls.map(async ({ call_id, name, arguments: text }) => ({
          type: "function_call_output",
          call_id,
          output: await tools.find((tool) => tool.name === name).run(JSON.parse(text)),
        })),
      );
    }
  }
  return said;
}

const over = { chat: overChat, messages: overMessages, responses: overResponses };
await eachSession((session) => over[session.dialect](session, toolsOf(session)));
