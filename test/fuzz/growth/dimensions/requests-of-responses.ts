import {
  addToList,
  repeat,
  type Dimension,
  type Dimensions,
  type ResponseDraft,
} from "../document.ts";
import { chatRequests } from "./chat-requests.ts";

function ofRequest(name: string): Dimension<ResponseDraft> {
  return ({ request }, count) => chatRequests[name]?.(request, count);
}

/** A Responses upstream is looked for 64 sequences at most, which the largest document has. */
const repetitionsOfStop = 128;

/** Members of a request that matter when its response is read. */
export const requestsOfResponses: Dimensions<ResponseDraft> = {
  "tools of the request": ofRequest("tools"),
  "renamed tools of the request": ofRequest("tools with illegal names"),
  "custom tools of the request": ofRequest("custom tools"),
  "tool calls of the request": ofRequest("tool calls in turn"),
  "a long stop sequence of the request": ofRequest("a long stop sequence"),
  "stop sequences of the request": ({ request }, count) =>
    addToList(
      request.members,
      "stop",
      repeat(Math.ceil(count / repetitionsOfStop), (index) => `a${index}`),
    ),
};
