import { defineEntity, p } from "@mikro-orm/postgresql";
import type { CallerToolReplyKind } from "../domain/durable-turn.ts";

/** An answer of a caller that began a turn. It holds nothing of the conversation. */
export const ConsumedCallerToolReplyEntity = defineEntity({
  name: "TakenAnswer",
  tableName: "turn_answers",
  properties: {
    accountId: p.text().primary(),
    /** `GivenAnswer.asked`. */
    asked: p.text().primary(),
    verdict: p.text().$type<CallerToolReplyKind>(),
    /** The turn that the answer began, which may have been deleted since. */
    turnId: p.text(),
    threadId: p.text(),
    /** The row is kept until then, and longer while its thread has turns. */
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: "turn_answers_expires_at_index", properties: ["expiresAt"] }],
});
