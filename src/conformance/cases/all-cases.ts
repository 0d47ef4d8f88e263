import { textOutputConformanceCases } from "./output.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { conversationConformanceCases } from "./conversations.ts";
import { httpProtocolConformanceCases } from "./protocol.ts";
import { toolConformanceCases } from "./tools.ts";
import { usageConformanceCases } from "./usage.ts";

/** Every case, in the order in which they are told; `hello-whole` is the first. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...textOutputConformanceCases,
  ...toolConformanceCases,
  ...conversationConformanceCases,
  ...usageConformanceCases,
  ...httpProtocolConformanceCases,
];
