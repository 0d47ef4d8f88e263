import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject, Message } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { CallService } from "../../../gen/ts/causeway/call/v1/call_pb.ts";
import { invokeServerRpc } from "../invoke-method.ts";
import { CliError } from "../cli-error.ts";
import { resolveCliProfileContext, type CliProfileContext } from "../cli-context.ts";
import { EndlessServerListError } from "../list-pages.ts";
import { parseOrThrowUsageError } from "../parse-or-usage-error.ts";
import { addRequestFieldFlag } from "../request-flags.ts";
import { listRequestFlagFields } from "../request-fields.ts";
import { buildRequestFromFlags } from "../request-message.ts";
import { runAndReportCliError } from "../run-command.ts";
import { StreamingTableFormatter } from "../format-table.ts";
import { toLoggedCallCliRow } from "./call-row.ts";
import { CallLogTailer, type CallLogPageFetcher } from "./call-tailer.ts";
import { formatTerminalSafeJson, writeToStderr, writeToStdout } from "../output.ts";

const { listCalls } = CallService.method;

/** Fields of the list that a tail sets itself. */
const ownFields = new Set(["from", "to", "limit", "after_id", "before_id"]);

const initialCount = 10;

const pollMs = 1000;

/** Adds `calls tail`: the last calls, then each as it ends, until Ctrl-C. */
export function addCallsTailCommand(calls: Command): void {
  const command = calls.command("tail");
  command.description("Shows the last calls, and those that end from now on, until Ctrl-C");
  for (const field of listRequestFlagFields(listCalls)) {
    if (!ownFields.has(field.name)) addRequestFieldFlag(command, listCalls, field);
  }
  command.option("--json", "print each call as a line of JSON");
  command.action(async () => {
    const { json, ...flags } = command.opts<Record<string, unknown>>();
    const request = parseOrThrowUsageError(command, () =>
      buildRequestFromFlags(listCalls, [], flags),
    );
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
    await runAndReportCliError(async () => {
      const ask = asking(request, resolveCliProfileContext(command), stop.signal);
      await tail(ask, printer(json === true), stop.signal);
    });
  });
}

function asking(
  request: Message,
  caller: CliProfileContext,
  signal: AbortSignal,
): CallLogPageFetcher {
  return (page) => invokeServerRpc(listCalls, Object.assign({ ...request }, page), caller, signal);
}

function printer(asJson: boolean): (calls: readonly JsonObject[]) => void {
  const table = new StreamingTableFormatter();
  const linesOf = asJson
    ? (calls: readonly JsonObject[]) => calls.map((it) => formatTerminalSafeJson(it, 0))
    : (calls: readonly JsonObject[]) => table.lines(calls.map(toLoggedCallCliRow));
  return (calls) => {
    if (calls.length > 0) writeToStdout(linesOf(calls).join("\n"));
  };
}

/** Resolves when it is stopped; rejects with what asking again would not mend. */
async function tail(
  ask: CallLogPageFetcher,
  print: (calls: readonly JsonObject[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const follower = new CallLogTailer(ask);
  try {
    print(await follower.start(initialCount));
    for (let isAway = false; ;) {
      await delay(pollMs, undefined, { signal });
      const calls = await follower.next().catch(isRetryable);
      if (calls instanceof CliError !== isAway) {
        isAway = !isAway;
        writeToStderr(calls instanceof CliError ? `waiting: ${firstLine(calls)}` : "back again");
      }
      if (!(calls instanceof CliError)) print(calls);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A server that starts again, or is asked too often, answers the next time. */
function isRetryable(error: unknown): CliError {
  const isPassing =
    error instanceof CliError &&
    !(error instanceof EndlessServerListError) &&
    retryableCodes.has(error.code);
  if (isPassing) return error;
  throw error;
}

/** Undefined: it did not answer. */
const retryableCodes = new Set<string | undefined>([
  undefined,
  "unavailable",
  "rate_limited",
  "internal_error",
]);

function firstLine({ message }: CliError): string {
  return message.split("\n", 1)[0] ?? "";
}
