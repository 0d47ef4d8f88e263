import { getOption, type DescMethod } from "@bufbuild/protobuf";
import { method as methodPolicy } from "../../../gen/ts/causeway/options/v1/options_pb.ts";

/** Whether a method is one of the tools, which have commands of their own. */
export function isTool(method: DescMethod): boolean {
  return getOption(method, methodPolicy).mcpTool !== undefined;
}
