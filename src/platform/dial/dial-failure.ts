import { recordToMap } from "../lookup-table.ts";
import { DialDeniedError } from "./dial-denied-error.ts";

/** Why nothing, or nothing whole, came back from a dial. */
export type DialFailure = "blocked_address" | "dns" | "connect" | "tls" | "timeout" | "reset";

const failureOfCode = recordToMap<DialFailure>({
  ENOTFOUND: "dns",
  ENODATA: "dns",
  ESERVFAIL: "dns",
  ECONNREFUSED: "connect",
  EHOSTUNREACH: "connect",
  EHOSTDOWN: "connect",
  ENETUNREACH: "connect",
  ENETDOWN: "connect",
  EADDRNOTAVAIL: "connect",
  EACCES: "connect",
  EPERM: "connect",
  EMFILE: "connect",
  ENFILE: "connect",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  // The pool was dropped under the request: a fresh one serves the repetition.
  UND_ERR_CLOSED: "reset",
  UND_ERR_DESTROYED: "reset",
  EPROTO: "tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
  HOSTNAME_MISMATCH: "tls",
  INVALID_CA: "tls",
  INVALID_PURPOSE: "tls",
  PATH_LENGTH_EXCEEDED: "tls",
});

const failureOfPrefix: readonly (readonly [RegExp, DialFailure])[] = [
  [/^EAI_/, "dns"],
  [/^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|ERROR_IN_CERT_|ERROR_IN_CRL_)/, "tls"],
];

/** Codes of the client and of its parser: an abort, or an answer that is not HTTP. */
const ofTheClient = /^(?:UND_ERR_|HPE_)/;

/**
 * The kind of a failed dial, read from an error of the dispatcher (or from what
 * caused it); an error of the system that no table here names is `connect`.
 * Undefined for what is no failure of the dial: an abort by the caller, an
 * answer that is not HTTP, a mistake of ours.
 */
export function classifyDialFailure(error: unknown): DialFailure | undefined {
  return namedFailure(error) ?? (isOfTheSystem(error) ? "connect" : undefined);
}

/** The refusal of policy that a failed dial came to; undefined: it was another failure. */
export function findDialDeniedError(error: unknown): DialDeniedError | undefined {
  if (error instanceof DialDeniedError) return error;
  return error instanceof Error ? findDialDeniedError(error.cause) : undefined;
}

function namedFailure(error: unknown): DialFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof DialDeniedError) return "blocked_address";
  if (error.name === "TimeoutError") return "timeout";
  return (
    failureOf(errorCode(error)) ?? ofResolver(error) ?? namedFailure(error.cause) ?? ofFirst(error)
  );
}

function failureOf(code: string): DialFailure | undefined {
  return failureOfCode.get(code) ?? failureOfPrefix.find(([prefix]) => prefix.test(code))?.[1];
}

/** Resolvers say of a name that is too long, or malformed, what each of them likes. */
function ofResolver(error: Error): DialFailure | undefined {
  return "syscall" in error && error.syscall === "getaddrinfo" ? "dns" : undefined;
}

function isOfTheSystem(error: unknown): boolean {
  const code = error instanceof Error ? errorCode(error) : "";
  return code !== "" && !ofTheClient.test(code);
}

function errorCode(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Several addresses were tried in vain: the first says why. */
function ofFirst(error: Error): DialFailure | undefined {
  return error instanceof AggregateError ? namedFailure(error.errors[0]) : undefined;
}
