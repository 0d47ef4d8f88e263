import type { DialFailure } from "../../platform/dial/dial-failure.ts";
import { createCallFailure, type CallFailure } from "../call/call-failure.ts";

const messages: Readonly<Record<DialFailure, string>> = {
  blocked_address: "its address is not one this server may dial",
  dns: "its name could not be resolved",
  connect: "no connection could be made",
  tls: "no TLS connection could be made",
  timeout: "the connection took too long",
  reset: "it closed the connection before it answered",
};

/** What a caller is told of a failed dial: never an address, resolved or not. */
export function convertDialFailure(name: string, kind: DialFailure | undefined): CallFailure {
  const reason = kind === undefined ? "its answer is not valid HTTP" : messages[kind];
  const code = kind === "timeout" ? "upstream_timeout" : "upstream_unreachable";
  return createCallFailure(code, `The upstream \`${name}\` could not be reached: ${reason}.`);
}

/** An upstream that is left alone for so many seconds more. */
export function createCircuitOpenFailure(name: string, seconds: number): CallFailure {
  return createCallFailure(
    "upstream_unreachable",
    `The upstream \`${name}\` could not be reached several times in a row; it is tried again in ${seconds} s.`,
    seconds,
  );
}

export function createUpstreamTimeoutFailure(name: string): CallFailure {
  return createCallFailure("upstream_timeout", `The upstream \`${name}\` took too long.`);
}

export function createIncompleteResponseFailure(name: string): CallFailure {
  return createCallFailure(
    "upstream_incomplete",
    `The upstream \`${name}\` broke off in the middle of its answer.`,
  );
}
