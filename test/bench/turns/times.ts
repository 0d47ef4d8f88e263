import { figure } from "../report/figure.ts";
import { tableOf, type Table } from "../report/table.ts";
import { median, quantile } from "../statistics.ts";
import type { ScriptedOutput } from "./scripted-upstream.ts";
import { TurnClient } from "./turn-client.ts";
import type { TurnEnvironment } from "./turn-environment.ts";

/** Milliseconds of one thing, round by round. */
interface Times {
  readonly what: string;
  readonly values: readonly number[];
}

const short: ScriptedOutput = { words: 3, every: 5 };
const long: ScriptedOutput = { words: 2000, every: 0 };
const held: ScriptedOutput = { words: 200, every: 50 };

/** Measures what callers wait for, over two processes of their own beside this one. */
export async function timeTable(stage: TurnEnvironment, rounds: number): Promise<Table> {
  const [one, other] = [await stage.startProcess(), await stage.startProcess()];
  const account = await stage.openAccount(one);
  const [here, there] = [new TurnClient(one, account), new TurnClient(other, account)];
  const times = [
    ...(await firstWords(here, rounds)),
    ...(await replays(here, there, rounds)),
    ...(await cancels(stage, here, there, rounds)),
  ];
  await Promise.all([one.stop(), other.stop()]);
  return tableOf(
    "What callers wait for",
    `Milliseconds over ${rounds} rounds, two processes beside the caller's; whichever takes a turn runs it.`,
    [
      { heading: "what", cell: ({ what }) => what },
      { heading: "median", cell: ({ values }) => figure(median(values), 1) },
      { heading: "p90", cell: ({ values }) => figure(quantile(values, 0.9), 1) },
      { heading: "longest", cell: ({ values }) => figure(quantile(values, 1), 1) },
    ],
    times,
  );
}

/** One after the other in each round, so that both have the same machine. */
async function firstWords(client: TurnClient, rounds: number): Promise<Times[]> {
  const [plain, background]: [number[], number[]] = [[], []];
  const ask = (isBackground: boolean) =>
    client.firstWordMs({ background: isBackground, stream: true }, short);
  await ask(false);
  await ask(true);
  for (let round = 0; round < rounds; round += 1) {
    plain.push(await ask(false));
    background.push(await ask(true));
  }
  const more = background.map((ms, round) => ms - (plain[round] ?? Number.NaN));
  return [
    { what: "first word, transcoded", values: plain },
    { what: "first word, in the background", values: background },
    { what: "the difference within a round", values: more },
  ];
}

async function replays(here: TurnClient, there: TurnClient, rounds: number): Promise<Times[]> {
  const [first, whole, followed]: [number[], number[], number[]] = [[], [], []];
  const ids = [await here.ended(short), await here.ended(long)];
  const [shortId = "", longId = ""] = ids;
  await there.replay(shortId);
  for (let round = 0; round < rounds; round += 1) {
    first.push((await there.replay(shortId)).first);
    const replayed = await there.replay(longId);
    followed.push(replayed.first);
    whole.push(replayed.whole);
  }
  return [
    { what: "replay at another process, 3 words: first byte", values: first },
    { what: "replay at another process, 2000 words: first byte", values: followed },
    { what: "replay at another process, 2000 words: the end", values: whole },
  ];
}

/** From the request to the close of the upstream's connection. */
async function cancels(
  { upstream }: TurnEnvironment,
  here: TurnClient,
  there: TurnClient,
  rounds: number,
): Promise<Times[]> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const dials = upstream.requests.length;
    const id = await here.begin(held);
    const { closed } = await upstream.request(dials);
    const began = performance.now();
    await (round % 2 === 0 ? here : there).cancel(id);
    values.push((await closed) - began);
  }
  return [{ what: "cancel: the upstream's connection is closed", values }];
}
