import { namedEvent, type WireResponse, type Wire } from "./dialect-wire.ts";

const part = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

const item = ({ id }: WireResponse, status: string, content: readonly object[]) => ({
  id: `msg_${id}`,
  type: "message",
  status,
  role: "assistant",
  content,
});

const place = ({ id }: WireResponse) => ({
  item_id: `msg_${id}`,
  output_index: 0,
  content_index: 0,
});

const response = (said: WireResponse, status: string, more: object) => ({
  id: `resp_${said.id}`,
  object: "response",
  created_at: 1,
  status,
  error: null,
  incomplete_details: null,
  model: "up",
  ...more,
});

function completed(said: WireResponse): object {
  const { pieces, input, output } = said;
  return response(said, "completed", {
    output: [item(said, "completed", [part(pieces.join(""))])],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  });
}

/** Events of the stream before its first piece of text. */
const eventsBefore = 3;

/** Responses. */
export const responses: Wire = {
  name: "responses",
  path: "/responses",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  request: ({ model, cap, isStream, prompt }) => ({
    model,
    max_output_tokens: cap,
    stream: isStream,
    input: prompt,
  }),
  capOf: (body) => Number(body["max_output_tokens"]),
  whole: completed,
  opening: (said) =>
    [
      namedEvent("response.created", {
        sequence_number: 0,
        response: response(said, "in_progress", { output: [] }),
      }),
      namedEvent("response.output_item.added", {
        sequence_number: 1,
        output_index: 0,
        item: item(said, "in_progress", []),
      }),
      namedEvent("response.content_part.added", {
        sequence_number: 2,
        ...place(said),
        part: part(""),
      }),
    ].join(""),
  piece: (said, index) =>
    namedEvent("response.output_text.delta", {
      sequence_number: eventsBefore + index,
      ...place(said),
      delta: said.pieces[index],
      logprobs: [],
    }),
  closing: (said) => {
    const text = said.pieces.join("");
    const first = eventsBefore + said.pieces.length;
    const ends = [
      ["response.output_text.done", { ...place(said), text, logprobs: [] }],
      ["response.content_part.done", { ...place(said), part: part(text) }],
      [
        "response.output_item.done",
        { output_index: 0, item: item(said, "completed", [part(text)]) },
      ],
      ["response.completed", { response: completed(said) }],
    ] as const;
    return ends
      .map(([type, fields], index) =>
        namedEvent(type, { sequence_number: first + index, ...fields }),
      )
      .join("");
  },
  lastWords: "event: response.completed",
};
