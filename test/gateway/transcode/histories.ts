const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const image = "data:image/png;base64,iVBORw0KGgo=";
const longId = "call:one";

/** The same conversation with an image, two calls and their results, in each dialect. */
export const histories = {
  chat: {
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is it, and the weather in Paris and Oslo?" },
          { type: "image_url", image_url: { url: image } },
        ],
      },
      {
        role: "assistant",
        content: "",
        tool_calls: ["Paris", "Oslo"].map((city, at) => ({
          id: `${longId}${at}`,
          type: "function",
          function: { name: "weather", arguments: JSON.stringify({ city }) },
        })),
      },
      { role: "tool", tool_call_id: `${longId}0`, content: "sun" },
      { role: "tool", tool_call_id: `${longId}1`, content: "snow" },
    ],
    tools: [{ type: "function", function: { name: "weather", parameters: schema } }],
    seed: 7,
  },
  messages: {
    max_tokens: 100,
    system: "Be brief.",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is it, and the weather in Paris and Oslo?" },
          {
            type: "image",
            source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
          },
        ],
      },
      {
        role: "assistant",
        content: ["Paris", "Oslo"].map((city, at) => ({
          type: "tool_use",
          id: `call_${at}`,
          name: "weather",
          input: { city },
        })),
      },
      {
        role: "user",
        content: ["sun", "snow"].map((content, at) => ({
          type: "tool_result",
          tool_use_id: `call_${at}`,
          content,
        })),
      },
    ],
    tools: [{ name: "weather", input_schema: schema }],
    top_k: 5,
  },
  responses: {
    instructions: "Be brief.",
    store: false,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is it, and the weather in Paris and Oslo?" },
          { type: "input_image", image_url: image, detail: "auto" },
        ],
      },
      ...["Paris", "Oslo"].map((city, at) => ({
        type: "function_call",
        call_id: `call_${at}`,
        name: "weather",
        arguments: JSON.stringify({ city }),
      })),
      ...["sun", "snow"].map((output, at) => ({
        type: "function_call_output",
        call_id: `call_${at}`,
        output,
      })),
    ],
    tools: [{ type: "function", name: "weather", parameters: schema, strict: false }],
    truncation: "auto",
  },
};
