import { getOption, type DescMethod } from "@bufbuild/protobuf";
import { method as methodOption } from "../../gen/ts/causeway/options/v1/options_pb.ts";

/** Whether a method is a tool of MCP, which has a command of its own. */
export function isExposedAsMcpTool(method: DescMethod): boolean {
  return getOption(method, methodOption).mcpTool !== undefined;
}
