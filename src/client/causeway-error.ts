import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, type ErrorInfo } from "../../gen/ts/causeway/error/v1/error_pb.ts";

/**
 * The one error that calls of `createCausewayClient` reject with. Its fields are those
 * of the server's refusal (`causeway.error.v1.ErrorInfo`; the page at `docUrl` explains
 * the code). `cause` is Connect's own error.
 */
export class CausewayError extends Error {
  override readonly name = "CausewayError";
  /**
   * Code of the server's catalogue, `not_found` for instance. Without an answer of the
   * server: `deadline_exceeded`, `canceled` (by the caller's signal), `unreachable`, or
   * the name that Connect has for what happened.
   */
  readonly code: string;
  /** Dotted path of the field that was wrong, `roles[0]` for instance. */
  readonly param: string | undefined;
  /** Page that explains the code. */
  readonly docUrl: string | undefined;
  /** Id under which the server's log has the call. */
  readonly requestId: string | undefined;
  /** Where to add budget or a credential of one's own. */
  readonly byoUrl: string | undefined;
  /** Seconds after which the same call makes sense again. */
  readonly retryAfterSeconds: number | undefined;
  /** Nearest known names, best first, where a name was not found. */
  readonly suggestions: readonly string[];

  /** Takes whatever a call rejects with. */
  constructor(cause: unknown) {
    const failure = ConnectError.from(cause);
    const info = findConnectErrorInfo(failure);
    super(info?.message ?? failure.rawMessage, { cause: failure });
    this.code = info?.code ?? codeOf(failure);
    this.param = info?.param || undefined;
    this.docUrl = info?.docUrl || undefined;
    this.requestId = info?.requestId || (failure.metadata.get("x-request-id") ?? undefined);
    this.byoUrl = info?.byoUrl || undefined;
    this.retryAfterSeconds = info?.retryAfterSeconds || undefined;
    this.suggestions = info?.suggestions ?? [];
  }
}

/** What the server said of a call that it refused; undefined when somebody else, or nobody, answered. */
export function findConnectErrorInfo(failure: ConnectError): ErrorInfo | undefined {
  return failure.findDetails(ErrorInfoSchema)[0];
}

/** Whether no answer came: `fetch` rejects with a TypeError then (Fetch standard, 5.6). */
export function isUnreachable({ cause }: ConnectError): boolean {
  return cause instanceof TypeError;
}

/** `deadline_exceeded` for `DeadlineExceeded`: as the Connect protocol spells its codes. */
function codeOf(failure: ConnectError): string {
  if (isUnreachable(failure)) return "unreachable";
  const name = Code[failure.code];
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}
