import { asObject, asString, type JsonObject } from "../json.ts";
import { parseJsonObjectOrEmpty } from "../parse-object.ts";

/** An error message of the WebSocket mode, of the error object that an HTTP answer would hold. */
export function serializeResponsesWebSocketError(
  status: number,
  error: JsonObject,
  headers?: JsonObject,
): string {
  return JSON.stringify({ type: "error", status, error, headers });
}

/** The same of the body of an HTTP answer that is an error, whoever wrote it. */
export function webSocketErrorFromBody(status: number, body: string, headers: JsonObject): string {
  const told = asObject(parseJsonObjectOrEmpty(body)["error"]);
  const error = told ?? {
    message: "The call failed.",
    type: "server_error",
    param: null,
    code: null,
  };
  return serializeResponsesWebSocketError(status, error, headers);
}

/** The same of the event that ends a stream which failed; `statusOf` tells the status of its code. */
export function sseErrorToWebSocketError(
  data: string,
  statusOf: (code: string | undefined) => number,
): string {
  const event = parseJsonObjectOrEmpty(data);
  const { code = null, message = "The call failed.", param = null } = event;
  const error = asObject(event["error"]) ?? { message, type: "server_error", param, code };
  return JSON.stringify({ ...event, status: statusOf(asString(error["code"])), error });
}
