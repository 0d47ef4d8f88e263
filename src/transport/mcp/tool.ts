import { getOption, type DescMethodUnary } from "@bufbuild/protobuf";
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { method as methodOption } from "../../../gen/ts/causeway/options/v1/options_pb.ts";
import type { ApiError } from "../../platform/errors.ts";
import { toKnownApiError } from "../interceptors/connect-error.ts";
import { toInternalError } from "../interceptors/errors.ts";
import type { RpcPipeline } from "../interceptors/rpc-pipeline.ts";
import type { MountedService } from "../mounted-service.ts";
import { findProtoComment } from "../../contract/comments.ts";
import { compileRequestBinder } from "../rest/bind.ts";
import { isExposedAsMcpTool } from "../../contract/is-tool.ts";
import { compileProtoJsonEncoder } from "../../contract/json/encode-message.ts";
import { createRestMethodInvoker, createRpcHandlerContext } from "../rest/invoke.ts";
import { readRestRules, type RestRule } from "../../contract/rest-rule.ts";
import { buildCompactMcpOutputSchema, buildMcpToolSchema } from "./tool-schema.ts";

/** The HTTP request that a tool call came in with; earlier revisions let it bring several. */
export interface McpHttpExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Counts a call; throws 429 when there are too many. */
  readonly admit: () => Promise<void>;
}

/** A method of the contract as a tool: how it is listed, and how it is called. */
export interface McpRpcTool {
  readonly definition: Tool;
  /** Never rejects: what REST would refuse is a result that says so. */
  call(
    input: Readonly<Record<string, unknown>>,
    exchange: McpHttpExchange,
  ): Promise<CallToolResult>;
}

/** The tools of a service, in the order of its methods: those whose option says so. */
export function createMcpToolsFromRpcMethods(
  mounted: MountedService,
  pipeline: RpcPipeline,
): McpRpcTool[] {
  return mounted.service.methods
    .flatMap(readRestRules)
    .filter(({ method }) => isExposedAsMcpTool(method))
    .map((rule) => mcpTool(rule, mounted, pipeline));
}

function mcpTool(rule: RestRule, mounted: MountedService, pipeline: RpcPipeline): McpRpcTool {
  const { method } = rule;
  const bind = compileRequestBinder(rule);
  const invoke = createRestMethodInvoker(mounted, method, pipeline.interceptors);
  const encode = compileProtoJsonEncoder(method.output);
  return {
    definition: buildMcpToolFromRpcMethod(method),
    async call(input, { request, reply, admit }) {
      request.scope.procedure = `${method.parent.typeName}/${method.name}`;
      try {
        await admit();
        const message = bind({ params: {}, query: {}, body: input });
        const answer = await invoke(createRpcHandlerContext(method, request, reply), message);
        return success(encode(answer) as Record<string, unknown>);
      } catch (error) {
        const refusal = toKnownApiError(error) ?? toInternalError(error);
        request.scope.errorCode = refusal.code;
        return { content: [{ type: "text", text: formatErrorForModel(refusal) }], isError: true };
      }
    },
  };
}

/** How a method is listed as a tool. */
export function buildMcpToolFromRpcMethod(method: DescMethodUnary): Tool {
  const { operationId, mcpTool } = getOption(method, methodOption);
  const title = mcpTool?.title ?? "";
  return {
    name: operationId === "" ? method.localName : operationId,
    title,
    description: findProtoComment(`${method.parent.typeName}.${method.name}`) ?? title,
    inputSchema: buildMcpToolSchema(method.input, "request"),
    outputSchema: buildCompactMcpOutputSchema(method.output),
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: mcpTool?.openWorld === true,
    },
  };
}

/** What REST answers, for programs and, as text, for models. */
function success(json: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(json) }], structuredContent: json };
}

/** What a model can act on. */
export function formatErrorForModel({ code, message, param, suggestions = [] }: ApiError): string {
  const where = param === undefined ? "" : ` (${param})`;
  const hint = suggestions.length === 0 ? "" : ` Did you mean: ${suggestions.join(", ")}?`;
  return `${code}${where}: ${message}${hint}`;
}
