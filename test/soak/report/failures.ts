import type { Table } from "../../bench/report/table.ts";
import type { Call } from "../call.ts";
import type { ManagementOutcome } from "../management.ts";

interface Fault {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly message?: string;
}

/** Errors that are no fault of the server: it, or an upstream, cannot be reached or says so. */
const honest = new Set([
  "unavailable",
  "upstream_unreachable",
  "upstream_malformed",
  "upstream_incomplete",
  "upstream_timeout",
  // As an upstream's own refusals are told in the dialects.
  "overloaded_error",
  "api_error",
  "server_error",
]);

/** Connect's words for a fault of the server. */
const rpcFaults = new Set(["Internal", "Unknown", "Unimplemented", "DataLoss"]);

/** Calls that ended with an error, by protocol, status and code, as a table. */
export function tableOfErrors(
  calls: readonly Call[],
  managed: readonly ManagementOutcome[],
): Table {
  const names = [
    ...calls.flatMap(({ outcome, status, code, plan: { from } }) =>
      code === undefined ? [] : [`${from}: ${outcome === "cut" ? "in a stream" : status} ${code}`],
    ),
    ...managed.flatMap(({ protocol, status = "", code }) =>
      code === "ok" ? [] : [`${protocol}: ${status} ${code}`],
    ),
  ];
  const groups = Map.groupBy(names.toSorted(), (name) => name);
  return {
    title: "Errors by code",
    note: `As callers were told, of model calls by their dialect and of ${managed.length} management calls by their protocol.`,
    columns: ["Error", "Number"],
    rows: [...groups].map(([name, same]) => [name, String(same.length)]),
  };
}

/** What is promised of answers and was not kept, in words. */
export function brokenAnswers(
  calls: readonly Call[],
  managed: readonly ManagementOutcome[],
): string[] {
  const isFault = (status: number | undefined, code: string | undefined): boolean =>
    status !== undefined && status >= 500 && !honest.has(code ?? "");
  const faults: readonly Fault[] = [
    ...calls.filter(({ status, code }) => isFault(status, code)),
    ...managed.filter(({ status, code }) => isFault(status, code) || rpcFaults.has(code)),
  ];
  const truncated = calls.filter(({ outcome }) => outcome === "truncated");
  return [
    ...faults.map(
      ({ status = "", code = "", message = "" }) =>
        `a fault of the server: ${status} ${code} ${message}`,
    ),
    ...truncated.map(({ number }) => `cut in the middle without a word: call ${number}`),
  ];
}
