import type { ConformanceCaseRequest, ConformanceCaseTool } from "../case-request.ts";

export const helloRequest: ConformanceCaseRequest = {
  messages: [{ type: "user", text: "Say hello in one short sentence." }],
};

export const weatherTool: ConformanceCaseTool = {
  name: "get_weather",
  description: "The weather of a city now.",
  parameters: {
    type: "object",
    properties: { city: { type: "string", description: "Name of the city" } },
    required: ["city"],
    additionalProperties: false,
  },
};

export const clockCaseTool: ConformanceCaseTool = {
  name: "get_time",
  description: "The time now. Takes nothing.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
};

/** The model has to call one tool once. */
export const singleToolCallRequest: ConformanceCaseRequest = {
  messages: [{ type: "user", text: "What is the weather in Zürich? Use the tool." }],
  tools: [weatherTool],
  requiresToolCall: true,
};

export const parallelToolCallsRequest: ConformanceCaseRequest = {
  messages: [
    {
      type: "user",
      text: "What is the weather in Paris, and what in Oslo? Call the tool for both cities at once.",
    },
  ],
  tools: [weatherTool],
  requiresToolCall: true,
};

export const noInputToolCallRequest: ConformanceCaseRequest = {
  messages: [{ type: "user", text: "What time is it? Use the tool." }],
  tools: [clockCaseTool],
  requiresToolCall: true,
};

/** Ids as the clients of all dialects may send them. */
const parisId = "call_paris_1";
const osloId = "call_oslo_2";

/** A conversation in which both of two parallel calls were answered. */
export const answeredToolCallsRequest: ConformanceCaseRequest = {
  messages: [
    { type: "user", text: "What is the weather in Paris, and what in Oslo?" },
    {
      type: "calls",
      calls: [
        { id: parisId, name: weatherTool.name, input: { city: "Paris" } },
        { id: osloId, name: weatherTool.name, input: { city: "Oslo" } },
      ],
    },
    {
      type: "results",
      results: [
        { id: parisId, text: "Sunny, 21 degrees" },
        { id: osloId, text: "Snow, -4 degrees" },
      ],
    },
  ],
  tools: [weatherTool],
};

/** Instructions of some length: their tokens must show in the usage. */
export const longInstructions = `You are the keeper of a lighthouse. ${"You speak plainly, in short sentences, and you never mention the sea. ".repeat(8)}`;

export const countToNineRequest: ConformanceCaseRequest = {
  messages: [{ type: "user", text: "Count from 1 to 9, digits only, separated by single spaces." }],
};

export const longStoryRequest: ConformanceCaseRequest = {
  messages: [
    { type: "user", text: "Tell a story of at least a thousand words about a lighthouse." },
  ],
  maxTokens: 16,
};

export const structuredOutputRequest: ConformanceCaseRequest = {
  messages: [{ type: "user", text: "Ada is 36 years old. Extract her name and age." }],
  schema: {
    type: "object",
    properties: { name: { type: "string" }, age: { type: "integer" } },
    required: ["name", "age"],
    additionalProperties: false,
  },
};

export const unicodeRequest: ConformanceCaseRequest = {
  messages: [
    { type: "user", text: "Repeat exactly, and say nothing else: Zürich 日本 🙂👩‍🚀 naïve" },
  ],
};

/** A red dot, 1 by 1. */
export const redDotDataUrl =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
