import { compatCanary } from "./compat-canary.ts";
import { compatibleTester } from "./compatible-tester.ts";
import type { Judge } from "./judge.ts";
import { llamaCpp } from "./llama-cpp.ts";
import { llmComply } from "./llm-comply.ts";
import { llmProbe } from "./llm-probe.ts";
import { openResponses, openResponsesCopy } from "./open-responses.ts";
import { ownConformance } from "./own-conformance.ts";

/** Every suite, as the table lists them. */
export const allJudges: readonly Judge[] = [
  openResponses,
  openResponsesCopy,
  llmProbe,
  llmComply,
  compatCanary,
  compatibleTester,
  llamaCpp,
  ownConformance,
];
