import { compatCanary } from "./compat-canary.ts";
import { compatibleTester } from "./compatible-tester.ts";
import type { PublicSuite } from "./suite.ts";
import { llamaCpp } from "./llama-cpp.ts";
import { llmComply } from "./llm-comply.ts";
import { llmProbe } from "./llm-probe.ts";
import { openResponses, openResponsesCopy } from "./open-responses.ts";
import { causewayConformance } from "./causeway-conformance.ts";

/** Every suite, as the table lists them. */
export const allSuites: readonly PublicSuite[] = [
  openResponses,
  openResponsesCopy,
  llmProbe,
  llmComply,
  compatCanary,
  compatibleTester,
  llamaCpp,
  causewayConformance,
];
