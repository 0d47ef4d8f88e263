import { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, type ErrorInfo } from "../../gen/ts/causeway/error/v1/error_pb.ts";
import { sanitizeTerminalLine } from "./format-cell.ts";

/** A call that did not succeed, as the command line tells it: the message may have several lines. */
export class CliError extends Error {
  override readonly name = "CliError";
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
export function requestErrorToCliError(error: unknown, url: string, variable: string): CliError {
  const connectError = ConnectError.from(error);
  const [info] = connectError.findDetails(ErrorInfoSchema);
  if (info !== undefined) return serverReportedError(info);
  const reason = sanitizeTerminalLine(connectError.rawMessage);
  if (isSocketError(connectError)) {
    return new CliError(`${url} cannot be reached: ${reason}\n${suggestFix(variable)}`);
  }
  return notCausewayServerError(url, reason, variable);
}

/** Whoever answers without our detail answers something else than our contract; `reason`: what it is. */
export function notCausewayServerError(url: string, reason: string, variable: string): CliError {
  const fact = `${url} does not answer as a Causeway server does: ${sanitizeTerminalLine(reason)}`;
  return new CliError(`${fact}\n${suggestFix(variable)}`);
}

function suggestFix(variable: string): string {
  return `Start the server with \`causeway serve\`, or say where it is with ${variable}.`;
}

/** Errors of Node's sockets, of name look-up and TLS have a code of their own. */
function isSocketError({ cause }: ConnectError): boolean {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string";
}

/** What the server said of a call that it refused, or that failed there. */
export function serverReportedError({
  code,
  param,
  message,
  suggestions,
  docUrl,
  retryAfterSeconds,
}: Pick<ErrorInfo, "code" | "param" | "message" | "suggestions" | "docUrl"> &
  Partial<Pick<ErrorInfo, "retryAfterSeconds">>): CliError {
  const where = param === "" ? "" : ` (${param})`;
  const lines = [`${code}${where}: ${message}`];
  if (suggestions.length > 0) lines.push(`Did you mean: ${suggestions.join(", ")}?`);
  if (docUrl !== "") lines.push(`See ${docUrl}`);
  return new CliError(lines.map(sanitizeTerminalLine).join("\n"), code, retryAfterSeconds);
}
