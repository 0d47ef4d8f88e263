import type { Answer, FuzzCase } from "../fuzz-case.ts";
import type { ErrorLine } from "./server-under-test.ts";

/** Codes of gRPC that say the server failed: unknown, internal, data loss. */
const failedCodes = new Set([2, 13, 15]);

/** The same in a body, which may be text in another: the catalogue's code and those of Connect. */
const failureInBody =
  /\\?"(?:error|code|error_code)\\?":\s*\\?"internal_error\\?"|"code":\s*"(?:internal|unknown|data_loss)"/;

/** What an answer says that no answer may: that the server failed. Undefined: nothing is wrong with it. */
export function faultOf({ tolerates }: FuzzCase, answer: Answer): string | undefined {
  if (answer.isLate) return "no answer";
  const status = answer.statuses.find(
    (status) => status >= 500 && status !== 503 && !tolerates.includes(status),
  );
  if (status !== undefined) return `status ${status}`;
  const code = answer.grpcStatuses.find((code) => failedCodes.has(code));
  if (code !== undefined) return `grpc-status ${code}`;
  return failureInBody.exec(answer.text)?.[0].replaceAll(/\s/g, "");
}

/** What a failure says of itself to the caller; without it, nothing. */
export function messageIn({ text }: Answer): string {
  const message = /grpc-message: ?([^\r\n]+)|"message":"([^"]*)"/i.exec(text);
  return general(message?.[1] ?? message?.[2] ?? "").slice(0, 60);
}

/** The server's name of the request that was answered, where the answer tells. */
export function requestIdIn({ text }: Answer): string | undefined {
  return /req_[0-9a-z]{26}/.exec(text)?.[0];
}

/** What an error of the log is about: equal for equal causes. */
export function signatureOf(line: ErrorLine): string {
  const { msg = "", err } = line;
  const stack = err?.stack ?? "";
  return stack === "" ? general(err?.message ?? msg) : stackSignature(stack);
}

/** The same of a process that wrote a stack when it ended. */
export function stackSignature(text: string): string {
  const message = /^(?:Uncaught )?(\w*(?:Error|Exception)\b.*)$/m.exec(text)?.[1] ?? lastLine(text);
  const frames = [...text.matchAll(/^\s+at (.*)$/gm)].map(([, frame = ""]) => frame);
  const own = frames.find((frame) => /\/(?:src|gen)\//.test(frame)) ?? frames[0] ?? "";
  return general(`${message} at ${own.replace(/^.*\/(?=(?:src|gen)\/)/, "").replace(/\)$/, "")}`);
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

function general(text: string): string {
  return text
    .replaceAll(/[a-z]+_[0-9a-z]{26}/g, "#")
    .replaceAll(/\d{4,}/g, "#")
    .slice(0, 300);
}
