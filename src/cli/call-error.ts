import { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, type ErrorInfo } from "../../gen/ts/causeway/error/v1/error_pb.ts";
import { printable } from "./cell.ts";

/** A call that did not succeed, as the command line tells it: the message may have several lines. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** Code of the server's refusal; undefined when the server did not answer. */
  readonly code: string | undefined;

  /** When a retry makes sense; 0: not said. */
  readonly retryAfterSeconds: number;

  constructor(message: string, code?: string, retryAfterSeconds = 0) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Turns the failure of a call to `url`, which a variable can change, into what the caller can act on. */
export function callError(error: unknown, url: string, variable: string): CallError {
  const connectError = ConnectError.from(error);
  const [info] = connectError.findDetails(ErrorInfoSchema);
  if (info !== undefined) return refusal(info);
  const reason = printable(connectError.rawMessage);
  if (isOfTheSocket(connectError)) {
    return new CallError(`${url} cannot be reached: ${reason}\n${whatToDo(variable)}`);
  }
  return notOurs(url, reason, variable);
}

/** Whoever answers without our detail answers something else than our contract; `reason`: what it is. */
export function notOurs(url: string, reason: string, variable: string): CallError {
  const fact = `${url} does not answer as a Causeway server does: ${printable(reason)}`;
  return new CallError(`${fact}\n${whatToDo(variable)}`);
}

function whatToDo(variable: string): string {
  return `Start the server with \`causeway serve\`, or say where it is with ${variable}.`;
}

/** Errors of Node's sockets, of name look-up and TLS have a code of their own. */
function isOfTheSocket({ cause }: ConnectError): boolean {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string";
}

/** What the server said of a call that it refused, or that failed there. */
export function refusal({
  code,
  param,
  message,
  suggestions,
  docUrl,
  retryAfterSeconds,
}: Pick<ErrorInfo, "code" | "param" | "message" | "suggestions" | "docUrl"> &
  Partial<Pick<ErrorInfo, "retryAfterSeconds">>): CallError {
  const where = param === "" ? "" : ` (${param})`;
  const lines = [`${code}${where}: ${message}`];
  if (suggestions.length > 0) lines.push(`Did you mean: ${suggestions.join(", ")}?`);
  if (docUrl !== "") lines.push(`See ${docUrl}`);
  return new CallError(lines.map(printable).join("\n"), code, retryAfterSeconds);
}
