import { setTimeout as delay } from "node:timers/promises";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { DepshealthService } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { sameName } from "../../manifest/same-name.ts";
import { call } from "../call.ts";
import { CallError } from "../call-error.ts";
import type { Caller } from "../caller.ts";
import { textIn } from "../text-in.ts";
import { rowsOf } from "../tools/findings.ts";
import type { QuestionPage } from "./pages.ts";
import type { Question } from "./question.ts";

/** A question, and the row that answers it; undefined: the service gave none. */
export interface AnsweredQuestion {
  readonly question: Question;
  readonly row: JsonObject | undefined;
}

/** How often a call is made again that came too soon. */
const mostTries = 10;
/** Where the service does not say how long to wait. */
const usualWaitSeconds = 5;

const { depsAudit } = DepshealthService.method;

/** Asks page by page; `done` hears how many packages have been asked about. Rejects with a `CallError`. */
export async function askPages(
  pages: readonly QuestionPage[],
  context: string,
  caller: Caller,
  done: (packages: number) => void,
): Promise<AnsweredQuestion[]> {
  const answers: AnsweredQuestion[] = [];
  for (const { questions, request } of pages) {
    const message = fromJson(depsAudit.input, { ...request, task_context: context });
    const report = await patiently(() => call(depsAudit, message, caller));
    answers.push(...match(questions, rowsOf(report["packages"])));
    done(answers.length);
  }
  return answers;
}

/** A long audit may come too fast for the limits of the service, which says when to go on. */
async function patiently(ask: () => Promise<JsonObject>): Promise<JsonObject> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const isTooSoon = error instanceof CallError && error.code === "rate_limited";
      if (!isTooSoon || tries === mostTries) throw error;
      await delay((error.retryAfterSeconds || usualWaitSeconds) * 1000);
    }
  }
}

/** By name, which is unique in a page; a name that the registry spells otherwise by its place. */
function match(questions: readonly Question[], rows: readonly JsonObject[]): AnsweredQuestion[] {
  const isWhole = rows.length === questions.length;
  return questions.map((question, at) => ({
    question,
    row: rows.find((row) => isAbout(row, question)) ?? (isWhole ? rows[at] : undefined),
  }));
}

function isAbout(row: JsonObject, { ecosystem, name }: Question): boolean {
  if (textIn(row, "ecosystem") !== ecosystem) return false;
  return sameName(ecosystem, textIn(row, "name")) === sameName(ecosystem, name);
}
