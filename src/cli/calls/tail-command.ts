import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject, Message } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { CallService } from "../../../gen/ts/causeway/call/v1/call_pb.ts";
import { call } from "../call.ts";
import { CallError } from "../call-error.ts";
import { callerOf, type Caller } from "../caller.ts";
import { orUsageError } from "../or-usage-error.ts";
import { addFlag } from "../request-flags.ts";
import { flagFields } from "../request-fields.ts";
import { requestMessage } from "../request-message.ts";
import { tell } from "../tell.ts";
import { GrowingTable } from "../table.ts";
import { callCells } from "./call-cells.ts";
import { CallFollower, type AskCalls } from "./call-follower.ts";

const { listCalls } = CallService.method;

/** Fields of the list that a tail sets itself. */
const ownFields = new Set(["from", "to", "limit", "after_id", "before_id"]);

const shownAtFirst = 10;

const pollMs = 1000;

/** Adds `calls tail`: the last calls, then each as it ends, until Ctrl-C. */
export function addTailCommand(calls: Command): void {
  const command = calls.command("tail");
  command.description("Shows the last calls, and those that end from now on, until Ctrl-C");
  for (const field of flagFields(listCalls)) {
    if (!ownFields.has(field.name)) addFlag(command, listCalls, field);
  }
  command.option("--json", "print each call as a line of JSON");
  command.action(async () => {
    const { json, ...flags } = command.opts<Record<string, unknown>>();
    const request = orUsageError(command, () => requestMessage(listCalls, [], flags));
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
    await tell(async () => {
      const ask = asking(request, callerOf(command), stop.signal);
      await tail(ask, printer(json === true), stop.signal);
    });
  });
}

function asking(request: Message, caller: Caller, signal: AbortSignal): AskCalls {
  return (page) => call(listCalls, Object.assign({ ...request }, page), caller, signal);
}

function printer(asJson: boolean): (calls: readonly JsonObject[]) => void {
  const table = new GrowingTable();
  const linesOf = asJson
    ? (calls: readonly JsonObject[]) => calls.map((it) => JSON.stringify(it))
    : (calls: readonly JsonObject[]) => table.lines(calls.map(callCells));
  return (calls) => {
    if (calls.length > 0) console.log(linesOf(calls).join("\n"));
  };
}

/** Resolves when it is stopped; rejects with what asking again would not mend. */
async function tail(
  ask: AskCalls,
  print: (calls: readonly JsonObject[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const follower = new CallFollower(ask);
  try {
    print(await follower.begin(shownAtFirst));
    for (let isAway = false; ;) {
      await delay(pollMs, undefined, { signal });
      const calls = await follower.next().catch(passing);
      if (calls instanceof CallError !== isAway) {
        isAway = !isAway;
        console.error(calls instanceof CallError ? `waiting: ${firstLine(calls)}` : "back again");
      }
      if (!(calls instanceof CallError)) print(calls);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A server that starts again, or is asked too often, answers the next time. */
function passing(error: unknown): CallError {
  const isPassing = error instanceof CallError && passingCodes.has(error.code);
  if (isPassing) return error;
  throw error;
}

/** Undefined: it did not answer. */
const passingCodes = new Set<string | undefined>([
  undefined,
  "unavailable",
  "rate_limited",
  "internal_error",
]);

function firstLine({ message }: CallError): string {
  return message.split("\n", 1)[0] ?? "";
}
