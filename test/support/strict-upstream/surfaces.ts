import type { JsonObject } from "../../../src/dialect/json.ts";
import type { Asked, Reply } from "./asked.ts";
import { chatAnswer, chatFrames } from "./chat/answer.ts";
import { readChat } from "./chat/asked.ts";
import { chatFaults } from "./chat/rules.ts";
import type { Fault } from "./fault.ts";
import { messagesAnswer, messagesFrames } from "./messages/answer.ts";
import { readMessages } from "./messages/asked.ts";
import { messagesFaults } from "./messages/rules.ts";
import { nextId } from "./next-id.ts";
import { responsesAnswer, responsesFrames } from "./responses/answer.ts";
import { readResponses } from "./responses/asked.ts";
import { responsesFaults } from "./responses/rules.ts";

/** One dialect of the double. */
export interface Surface {
  /** `betas`: the value of `anthropic-beta`. */
  readonly faults: (body: JsonObject, betas: string) => readonly Fault[];
  /** The vendor's 400. */
  readonly refusal: (fault: Fault) => JsonObject;
  readonly read: (body: JsonObject) => Asked;
  readonly answer: (body: JsonObject, reply: Reply) => JsonObject;
  readonly frames: (body: JsonObject, reply: Reply) => readonly string[];
}

/** By the end of the path. */
export const surfaces: ReadonlyMap<string, Surface> = new Map([
  [
    "/chat/completions",
    {
      faults: (body) => chatFaults(body),
      refusal: openRefusal,
      read: readChat,
      answer: chatAnswer,
      frames: chatFrames,
    },
  ],
  [
    "/responses",
    {
      faults: responsesFaults,
      refusal: openRefusal,
      read: readResponses,
      answer: responsesAnswer,
      frames: responsesFrames,
    },
  ],
  [
    "/messages",
    {
      faults: messagesFaults,
      refusal: messagesRefusal,
      read: readMessages,
      answer: messagesAnswer,
      frames: messagesFrames,
    },
  ],
]);

function openRefusal({ path, message }: Fault): JsonObject {
  return {
    error: {
      message: `${message} (${path})`,
      type: "invalid_request_error",
      param: path,
      code: null,
    },
  };
}

/** The place stands in the message, with dots before indexes. */
function messagesRefusal({ path, message }: Fault): JsonObject {
  const place = path.replaceAll("[", ".").replaceAll("]", "");
  const error = { type: "invalid_request_error", message: `${place}: ${message}` };
  return { type: "error", error, request_id: nextId("req_") };
}
