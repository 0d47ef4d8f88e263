import type { JsonObject } from "../../../src/dialect/json.ts";
import type { StrictRequest, StrictReply } from "./request.ts";
import { chatResponse, chatFrames } from "./chat/response.ts";
import { readChat } from "./chat/request.ts";
import { chatFaults } from "./chat/rules.ts";
import type { Violation } from "./violation.ts";
import type { Memory } from "./memory.ts";
import { messagesResponse, messagesFrames } from "./messages/response.ts";
import { readMessages } from "./messages/request.ts";
import { messagesFaults } from "./messages/rules.ts";
import { keepThread, recallThread } from "./messages/threads.ts";
import { nextId } from "./next-id.ts";
import { responsesResponse, responsesFrames } from "./responses/response.ts";
import { readResponses } from "./responses/request.ts";
import { storeResponse, recallResponses } from "./responses/stored.ts";
import { responsesFaults } from "./responses/rules.ts";

/** One dialect of the double. */
export interface Surface {
  /** `betas`: the value of `anthropic-beta`. */
  readonly faults: (body: JsonObject, betas: string) => readonly Violation[];
  /** The vendor's 400. */
  readonly refusal: (fault: Violation) => JsonObject;
  readonly read: (body: JsonObject) => StrictRequest;
  /** `asked` is the body as it came, `body` as it was recalled. */
  readonly answer: (body: JsonObject, reply: StrictReply, asked: JsonObject) => JsonObject;
  /** The same answer as a stream. */
  readonly frames: (answer: JsonObject, body: JsonObject, reply: StrictReply) => readonly string[];
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
      answer: chatResponse,
      frames: (_answer, body, reply) => chatFrames(body, reply),
    },
  ],
  [
    "/responses",
    {
      faults: responsesFaults,
      refusal: openRefusal,
      read: readResponses,
      answer: responsesResponse,
      frames: responsesFrames,
      recall: recallResponses,
      keep: (_asked, body, answer, memory) => storeResponse(body, answer, memory),
    },
  ],
  [
    "/messages",
    {
      faults: messagesFaults,
      refusal: messagesRefusal,
      read: readMessages,
      answer: messagesResponse,
      frames: messagesFrames,
      recall: recallThread,
      keep: keepThread,
    },
  ],
]);

function openRefusal({ path, message, code = "" }: Violation): JsonObject {
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
function messagesRefusal({ path, message }: Violation): JsonObject {
  const place = path.replaceAll("[", ".").replaceAll("]", "");
  const error = { type: "invalid_request_error", message: `${place}: ${message}` };
  return { type: "error", error, request_id: nextId("req_") };
}
