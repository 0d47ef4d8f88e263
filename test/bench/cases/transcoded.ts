import { wholeAnswers } from "./pass-through.ts";
import { pacedStreams } from "./streams.ts";

const goal = "at most 4.0 x nginx, which passes the caller's own dialect through";

/** Requests and answers of 1 KB: a chat caller of a messages upstream. */
export const transcoded = wholeAnswers(
  "transcoded",
  "1 KB transcoded, chat to messages",
  goal,
  "chat",
  "messages",
  1024,
);

/** The other way round. */
export const transcodedMessages = wholeAnswers(
  "transcoded-messages",
  "1 KB transcoded, messages to chat",
  goal,
  "messages",
  "chat",
  1024,
);

/** Paced streams of a messages upstream to chat callers. */
export const transcodedStreams = pacedStreams(
  "transcoded-streams",
  "paced streams transcoded, one token per 20 ms, chat to messages",
  "at most 2.6 x nginx per token",
  "chat",
  "messages",
);
