import { responseFixtures } from "./response-fixtures.ts";
import type { CallerName } from "./clients.ts";
import type { Body } from "./pairs.ts";

/** A whole answer of each upstream, of one kind. */
export type Wholes = Readonly<Record<CallerName, Body>>;

const chat = responseFixtures.chat.whole as Body;
const messages = responseFixtures.messages.whole as Body;
const responses = responseFixtures.responses.whole as Body;

function completion(message: Body): Body {
  const choice = { index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" };
  return { ...chat, choices: [choice] };
}

function message(content: readonly Body[]): Body {
  return { ...messages, content, stop_reason: "end_turn" };
}

function response(output: readonly Body[]): Body {
  return { ...responses, output };
}

function said(annotations: readonly Body[]): Body {
  const content = [{ type: "output_text", text: "Rain.", annotations, logprobs: [] }];
  return { id: "msg_up", type: "message", role: "assistant", status: "completed", content };
}

/** Words and a call. */
export const calling: Wholes = { chat, messages, responses };

/** Readable thoughts before the words. */
export const thoughtful: Wholes = {
  chat: completion({ content: "Rain.", reasoning_content: "Hm." }),
  messages: message([
    { type: "thinking", thinking: "Hm.", signature: "sig" },
    { type: "redacted_thinking", data: "sealed" },
    { type: "text", text: "Rain." },
  ]),
  responses: response([
    { id: "rs_up", type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
    said([]),
  ]),
};

const place = { start_index: 0, end_index: 5, url: "https://a.example/", title: "A" };

/** Words with the page that they are from. */
export const cited: Wholes = {
  chat: completion({
    content: "Rain.",
    annotations: [{ type: "url_citation", url_citation: place }],
  }),
  messages: message([
    {
      type: "text",
      text: "Rain.",
      citations: [
        {
          type: "web_search_result_location",
          url: place.url,
          title: null,
          cited_text: "rain",
          encrypted_index: "x",
        },
      ],
    },
  ]),
  responses: response([said([{ type: "url_citation", ...place }])]),
};

/** Words with a source that has no address, as the vendors of messages and responses name such. */
export const filed = {
  messages: message([
    { type: "text", text: "It will " },
    {
      type: "text",
      text: "rain.",
      citations: [
        {
          type: "char_location",
          cited_text: "rain",
          document_index: 0,
          document_title: "Almanac",
          file_id: null,
          start_char_index: 3,
          end_char_index: 7,
        },
      ],
    },
  ]),
  responses: response([
    said([
      { type: "url_citation", ...place },
      { type: "file_citation", file_id: "file_1", filename: "almanac.pdf", index: 0 },
    ]),
  ]),
};

/** The answer of an upstream that tells nothing of its usage, whole or one event of it. */
export function withoutUsage(answer: Body): Body {
  const told = JSON.stringify(answer, (name, value: unknown) =>
    name === "usage" ? undefined : value,
  );
  return JSON.parse(told) as Body;
}

/** The same of a frame that may hold one. */
export function frameWithoutUsage(frame: string): string {
  const at = frame.indexOf("{");
  if (at === -1) return frame;
  const event = withoutUsage(JSON.parse(frame.slice(at)) as Body);
  return `${frame.slice(0, at)}${JSON.stringify(event)}\n\n`;
}
