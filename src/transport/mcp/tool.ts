import { getOption, type DescMethodUnary } from "@bufbuild/protobuf";
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { method as methodOption } from "../../../gen/ts/causeway/options/v1/options_pb.ts";
import type { ApiError } from "../../platform/errors.ts";
import { refusalOf } from "../interceptors/connect-error.ts";
import { internalError } from "../interceptors/errors.ts";
import type { CallPipeline } from "../interceptors/pipeline.ts";
import type { MountedService } from "../mounted-service.ts";
import { commentOf } from "../../contract/comments.ts";
import { requestBinder } from "../rest/bind.ts";
import { isTool } from "../../contract/is-tool.ts";
import { messageEncoder } from "../../contract/json/encode-message.ts";
import { createInvoke, openCall } from "../rest/invoke.ts";
import { restRules, type RestRule } from "../../contract/rest-rule.ts";
import { answerOutline, toolSchema } from "./tool-schema.ts";

/** The HTTP request that a tool call came in with; earlier revisions let it bring several. */
export interface McpExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Counts a call; throws 429 when there are too many. */
  readonly admit: () => Promise<void>;
}

/** A method of the contract as a tool: how it is listed, and how it is called. */
export interface McpTool {
  readonly definition: Tool;
  /** Never rejects: what REST would refuse is a result that says so. */
  call(input: Readonly<Record<string, unknown>>, exchange: McpExchange): Promise<CallToolResult>;
}

/** The tools of a service, in the order of its methods: those whose option says so. */
export function mcpTools(mounted: MountedService, pipeline: CallPipeline): McpTool[] {
  return mounted.service.methods
    .flatMap(restRules)
    .filter(({ method }) => isTool(method))
    .map((rule) => mcpTool(rule, mounted, pipeline));
}

function mcpTool(rule: RestRule, mounted: MountedService, pipeline: CallPipeline): McpTool {
  const { method } = rule;
  const bind = requestBinder(rule);
  const invoke = createInvoke(mounted, method, pipeline.interceptors);
  const encode = messageEncoder(method.output);
  return {
    definition: definitionOf(method),
    async call(input, { request, reply, admit }) {
      request.scope.procedure = `${method.parent.typeName}/${method.name}`;
      try {
        await admit();
        const message = bind({ params: {}, query: {}, body: input });
        const answer = await invoke(openCall(method, request, reply), message);
        return success(encode(answer) as Record<string, unknown>);
      } catch (error) {
        const refusal = refusalOf(error) ?? internalError(error);
        request.scope.errorCode = refusal.code;
        return { content: [{ type: "text", text: refusalText(refusal) }], isError: true };
      }
    },
  };
}

/** How a method is listed as a tool. */
export function definitionOf(method: DescMethodUnary): Tool {
  const { operationId, mcpTool } = getOption(method, methodOption);
  const title = mcpTool?.title ?? "";
  return {
    name: operationId === "" ? method.localName : operationId,
    title,
    description: commentOf(`${method.parent.typeName}.${method.name}`) ?? title,
    inputSchema: toolSchema(method.input, "request"),
    outputSchema: answerOutline(method.output),
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
export function refusalText({ code, message, param, suggestions = [] }: ApiError): string {
  const where = param === undefined ? "" : ` (${param})`;
  const hint = suggestions.length === 0 ? "" : ` Did you mean: ${suggestions.join(", ")}?`;
  return `${code}${where}: ${message}${hint}`;
}
