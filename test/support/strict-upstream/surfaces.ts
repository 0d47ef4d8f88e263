import type { JsonObject } from "../../../src/dialect/json.ts";
import type { Asked, Reply } from "./asked.ts";
import { chatAnswer, chatFrames } from "./chat/answer.ts";
import { readChat } from "./chat/asked.ts";
import { chatFaults } from "./chat/rules.ts";
import type { Fault } from "./fault.ts";
import type { Memory } from "./memory.ts";
import { messagesAnswer, messagesFrames } from "./messages/answer.ts";
import { readMessages } from "./messages/asked.ts";
import { messagesFaults } from "./messages/rules.ts";
import { keepThread, recallThread } from "./messages/threads.ts";
import { nextId } from "./next-id.ts";
import { responsesAnswer, responsesFrames } from "./responses/answer.ts";
import { readResponses } from "./responses/asked.ts";
import { keepResponse, recallResponses } from "./responses/kept.ts";
import { responsesFaults } from "./responses/rules.ts";

/** One dialect of the double. */
export interface Surface {
  /** `betas`: the value of `anthropic-beta`. */
  readonly faults: (body: JsonObject, betas: string) => readonly Fault[];
  /** The vendor's 400. */
  readonly refusal: (fault: Fault) => JsonObject;
  readonly read: (body: JsonObject) => Asked;
  /** `asked` is the body as it came, `body` as it was recalled. */
  readonly answer: (body: JsonObject, reply: Reply, asked: JsonObject) => JsonObject;
  /** The same answer as a stream. */
  readonly frames: (answer: JsonObject, body: JsonObject, reply: Reply) => readonly string[];
  /** Puts what the vendor keeps in the place of what refers to it. */
  readonly recall?: (body: JsonObject, memory: Memory, betas: string) => JsonObject;
  /** Keeps an answer. `asked` is the body as it came, `body` as it was recalled. */
  readonly keep?: (asked: JsonObject, body: JsonObject, answer: JsonObject, memory: Memory) => void;
}

/** By the end of the path. */
export const surfaces: ReadonlyMap<string, Surface> = new Map<string, Surface>([
  [
    "/chat/completions",
    {
      faults: (body) => chatFaults(body),
      refusal: openRefusal,
      read: readChat,
      answer: chatAnswer,
      frames: (_answer, body, reply) => chatFrames(body, reply),
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
      recall: recallResponses,
      keep: (_asked, body, answer, memory) => keepResponse(body, answer, memory),
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
      recall: recallThread,
      keep: keepThread,
    },
  ],
]);

function openRefusal({ path, message, code = "" }: Fault): JsonObject {
  return {
    error: {
      message: `${message} (${path})`,
      type: "invalid_request_error",
      param: path,
      code: code === "" ? null : code,
    },
  };
}

/** The place stands in the message, with dots before indexes. */
function messagesRefusal({ path, message }: Fault): JsonObject {
  const place = path.replaceAll("[", ".").replaceAll("]", "");
  const error = { type: "invalid_request_error", message: `${place}: ${message}` };
  return { type: "error", error, request_id: nextId("req_") };
}
