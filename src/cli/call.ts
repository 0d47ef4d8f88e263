import {
  create,
  fromJson,
  toJson,
  type DescMethodUnary,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema, type ErrorInfo } from "../../gen/ts/causeway/error/v1/error_pb.ts";
import { credentialFor } from "./credentials.ts";

/** A refusal as the command line shows it. */
export class CallRefused extends Error {
  constructor(info: Pick<ErrorInfo, "code" | "message" | "param" | "docUrl" | "suggestions">) {
    const where = info.param === "" ? "" : ` (${info.param})`;
    const nearest =
      info.suggestions.length === 0 ? "" : `\nDid you mean: ${info.suggestions.join(", ")}?`;
    super(
      `${info.code}${where}: ${info.message}${nearest}${info.docUrl === "" ? "" : `\nSee ${info.docUrl}`}`,
    );
    this.name = "CallRefused";
  }
}

/** Calls one method of the server with proto JSON in and out, field names as in the proto. */
export async function call(
  method: DescMethodUnary,
  request: JsonObject,
  environment: NodeJS.ProcessEnv,
): Promise<JsonValue> {
  const token = credentialFor(method, environment);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const input = create(method.input, fromJson(method.input, request));
  try {
    const response = await transportTo(environment).unary(
      method,
      undefined,
      undefined,
      headers,
      input,
    );
    return toJson(method.output, response.message, {
      useProtoFieldName: true,
      alwaysEmitImplicit: true,
    });
  } catch (error) {
    throw refusalOf(ConnectError.from(error));
  }
}

function transportTo(environment: NodeJS.ProcessEnv): Transport {
  const baseUrl = environment["CAUSEWAY_URL"] ?? "http://127.0.0.1:8080";
  return createConnectTransport({ baseUrl, httpVersion: "1.1" });
}

function refusalOf(error: ConnectError): CallRefused {
  const [info] = error.findDetails(ErrorInfoSchema);
  return new CallRefused(
    info ?? {
      code: "unavailable",
      message: error.rawMessage,
      param: "",
      docUrl: "",
      suggestions: [],
    },
  );
}
