import { responseFormatCases } from "./output.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { conversationCases } from "./conversations.ts";
import { protocolCases } from "./protocol.ts";
import { toolCases } from "./tools.ts";
import { usageCases } from "./usage.ts";

/** Every case, in the order in which they are told; `hello-whole` is the first. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...responseFormatCases,
  ...toolCases,
  ...conversationCases,
  ...usageCases,
  ...protocolCases,
];
