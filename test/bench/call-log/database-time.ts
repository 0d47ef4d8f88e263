import { Client } from "pg";
import { median } from "../statistics.ts";

interface Plan {
  readonly "QUERY PLAN": readonly [
    { readonly "Planning Time": number; readonly "Execution Time": number },
  ];
}

type Query = (text: unknown, values?: unknown, done?: unknown) => unknown;

const turns = 5;

/** Milliseconds that PostgreSQL takes for what `work` asks of it, planning included: the median after a first turn. */
export async function databaseTime(work: () => Promise<unknown>): Promise<number> {
  await work();
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) times.push(await explained(work));
  return median(times) ?? 0;
}

/** Each statement of `work` that reads is explained before it is made, by whatever connection. */
async function explained(work: () => Promise<unknown>): Promise<number> {
  const plain = Reflect.get(Client.prototype, "query") as Query;
  let milliseconds = 0;
  Client.prototype.query = async function explain(this: Client, text: unknown, values: unknown) {
    if (typeof text === "string" && text.startsWith("select")) {
      const explanation = `explain (analyze, format json) ${text}`;
      const { rows } = (await plain.call(this, explanation, values)) as { rows: readonly [Plan] };
      const [plan] = rows[0]["QUERY PLAN"];
      milliseconds += plan["Planning Time"] + plan["Execution Time"];
    }
    return plain.call(this, text, values);
  } as never;
  try {
    await work();
    return milliseconds;
  } finally {
    Client.prototype.query = plain as never;
  }
}
