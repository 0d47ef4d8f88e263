import type { AnswerContext } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import type { TurnAnswer } from "../turn-answer.ts";
import { answerItems } from "./encode-answer.ts";

/**
 * The output of an answer as it is kept to go on from: with all that was thought
 * and its seal, whether or not the caller asked to see it, because some vendors
 * take the outputs of calls only together with the thoughts before them. The ids
 * of what the caller saw are the same.
 */
export function keptOutput(answer: TurnAnswer, context: AnswerContext): readonly JsonObject[] {
  const reasoning = {
    path: "reasoning",
    mode: "default",
    effort: undefined,
    budgetTokens: undefined,
    ...context.turn.reasoning,
    summary: "auto",
    wantsSeal: true,
  } as const;
  return answerItems(answer, { ...context, turn: { ...context.turn, reasoning } });
}
