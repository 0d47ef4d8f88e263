import type { Table } from "../../bench/report/table.ts";
import { dialects, type Dialect } from "../strict-environment.ts";
import type { ClientOutcome } from "./run-clients.ts";

/** A row for each client and dialect that it speaks, a column for each kind of upstream. */
export function tableOfClients(outcomes: readonly ClientOutcome[], date: string): Table {
  return {
    title: "What was tried",
    note: `By \`npm run clients\` on ${date}.`,
    columns: ["Client", "Version", "Speaks", ...dialects.map((dialect) => `over ${dialect}`)],
    rows: outcomes.flatMap(rowsOf),
  };
}

/** Sessions that were not whole, each with what did not hold. */
export function clientProblems(outcomes: readonly ClientOutcome[]): readonly string[] {
  return outcomes.flatMap(({ client, sessions }) =>
    sessions.flatMap(({ session, fault }) =>
      fault === undefined
        ? []
        : [`${client.name}, ${session.dialect} over ${session.lane.dialect}: ${fault}`],
    ),
  );
}

function rowsOf(outcome: ClientOutcome): readonly (readonly string[])[] {
  const { client, version, absent } = outcome;
  return client.speaks.map((speaks) => [
    client.name,
    version ?? "not installed",
    speaks,
    ...dialects.map((over) => (absent === undefined ? cell(outcome, speaks, over) : "")),
  ]);
}

function cell({ sessions }: ClientOutcome, speaks: Dialect, over: Dialect): string {
  const outcome = sessions.find(
    ({ session }) => session.dialect === speaks && session.lane.dialect === over,
  );
  if (outcome === undefined) return "";
  const how = speaks === over ? "passed through" : "transcoded";
  return outcome.fault === undefined ? `whole, ${how}` : "not whole";
}
