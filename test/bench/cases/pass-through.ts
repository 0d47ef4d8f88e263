import type { DialectName } from "../wire/dialects.ts";
import type { Case } from "./case.ts";
import { connections, turnLimitMs } from "./limits.ts";
import { roundsCase } from "./rounds.ts";

/** A case that takes the CPU time of whole answers of 1 KB. */
export function wholeAnswers(
  name: string,
  title: string,
  goal: string,
  dialect: DialectName,
  upstreamDialect: DialectName,
  bytes: number,
  isPaid = false,
): Case {
  return roundsCase({
    name,
    title,
    goal,
    unit: "request",
    latency: "answer",
    added: "not taken",
    // What is paid or transcoded goes another way, which earlier cases do not warm.
    warmUp: isPaid || dialect !== upstreamDialect ? "by own calls" : "by calls",
    call: () => ({ dialect, upstreamDialect, upstream: "answers", bytes, maxTokens: 256, isPaid }),
    database: isPaid,
    measure: (target, { load, settings }) =>
      load.run({
        kind: "closed-loop",
        ...target,
        requests: settings.requests,
        connections,
        deadlineMs: turnLimitMs,
      }),
  });
}

const smallGoal = "at most 3.0 x nginx and 1.3 x bare, first landing 3.3 and 1.45";

/** Requests and answers of 1 KB, chat. */
export const small = wholeAnswers(
  "small",
  "1 KB pass-through, chat",
  smallGoal,
  "chat",
  "chat",
  1024,
);

/** The same, paid by the gateway's caller from a wallet: reserved before it, settled after it. */
export const smallPaid = wholeAnswers(
  "small-paid",
  "1 KB pass-through, chat, the gateway's paid from one wallet",
  "none; the others pay nothing",
  "chat",
  "chat",
  1024,
  true,
);

/** Requests and answers of 1 KB, messages. */
export const smallMessages = wholeAnswers(
  "small-messages",
  "1 KB pass-through, messages",
  smallGoal,
  "messages",
  "messages",
  1024,
);

/** Requests of 32 KB, which a gateway reads through to find the model. */
export const large = wholeAnswers(
  "large",
  "32 KB pass-through, chat",
  "at most 2.9 x nginx, first landing 3.2 and 1.3 x bare",
  "chat",
  "chat",
  32 * 1024,
);
