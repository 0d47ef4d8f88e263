import type { DescMethodUnary } from "@bufbuild/protobuf";
import { createContextValues, createHandlerContext } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Tool } from "@modelcontextprotocol/server";
import type { Logger } from "pino";
import { toKnownApiError } from "../interceptors/connect-error.ts";
import { toInternalError, type ThirdPartyErrorTranslator } from "../interceptors/errors.ts";
import { createEntityManagerForkInterceptor } from "../interceptors/unit-of-work.ts";
import { createValidationInterceptor, type RequestValidator } from "../interceptors/validate.ts";
import type { MountedService } from "../mounted-service.ts";
import { compileRequestBinder } from "../rest/bind.ts";
import { compileProtoJsonEncoder } from "../../contract/json/encode-message.ts";
import { createRestMethodInvoker } from "../rest/invoke.ts";
import { readRestRules, type RestRule } from "../../contract/rest-rule.ts";
import { isExposedAsMcpTool } from "../../contract/is-tool.ts";
import { buildMcpToolFromRpcMethod, formatErrorForModel } from "./tool.ts";

export interface InProcessRpcToolDependencies {
  readonly validator: RequestValidator;
  readonly forkEntityManager: () => EntityManager;
  /** Errors of libraries that mean a refusal. */
  readonly translateError: ThirdPartyErrorTranslator;
  readonly log: Logger;
}

/** A method of the contract as a tool that this process calls itself, without a request over HTTP. */
export interface InProcessRpcTool {
  readonly definition: Tool;
  /** The JSON that REST answers, or what it refuses. Rejects only when aborted. */
  call(
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly isError: boolean }>;
}

/**
 * The tools of a service, with the rules and the handlers that their callers over
 * MCP get. Who calls is this program: nobody is authenticated and no address counted.
 */
export function createInProcessRpcTools(
  mounted: MountedService,
  dependencies: InProcessRpcToolDependencies,
): InProcessRpcTool[] {
  return mounted.service.methods
    .flatMap(readRestRules)
    .filter(({ method }) => isExposedAsMcpTool(method))
    .map((rule) => localTool(rule, mounted, dependencies));
}

function localTool(
  rule: RestRule,
  mounted: MountedService,
  dependencies: InProcessRpcToolDependencies,
): InProcessRpcTool {
  const { method } = rule;
  const { validator, forkEntityManager, translateError, log } = dependencies;
  const bind = compileRequestBinder(rule);
  const invoke = createRestMethodInvoker(mounted, method, [
    createValidationInterceptor(validator),
    createEntityManagerForkInterceptor(forkEntityManager),
  ]);
  const encode = compileProtoJsonEncoder(method.output);
  return {
    definition: buildMcpToolFromRpcMethod(method),
    async call(input, signal) {
      try {
        const message = bind({ params: {}, query: {}, body: input });
        const answer = await invoke(contextOf(method, signal), message);
        return { text: JSON.stringify(encode(answer)), isError: false };
      } catch (error) {
        signal.throwIfAborted();
        const refusal = toKnownApiError(error) ?? translateError(error) ?? toInternalError(error);
        if (refusal.code === "internal_error") log.error({ err: error }, "a tool of ours failed");
        return { text: formatErrorForModel(refusal), isError: true };
      }
    },
  };
}

function contextOf(method: DescMethodUnary, signal: AbortSignal) {
  return createHandlerContext({
    service: method.parent,
    method,
    protocolName: "local",
    requestMethod: "POST",
    url: "http://localhost/",
    requestSignal: signal,
    contextValues: createContextValues(),
  });
}
