import { describe, expect, it } from "vitest";
import { json, text, type Script } from "../../support/fake-upstream.ts";
import { misnamed, prototypeNames } from "../../support/prototype-names.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call, type Reply } from "../call.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { allPairs, models, paths, questions, type Body, type Pair } from "./pairs.ts";
import { richBodies } from "./rich-bodies.ts";

const events = { "content-type": "text/event-stream" };

/** A call, and what the upstream does with it. */
interface Trial {
  readonly place: string;
  readonly body: Body;
  readonly script: Script;
}

/** What became of each trial, told without ids, times and the name itself. */
async function outcomes({ caller }: Pair, name: string, trials: readonly Trial[]) {
  const { app, upstream } = await startAppWithUpstream();
  const told: string[] = [];
  for (const { place, body, script } of trials) {
    upstream.play(script);
    const before = upstream.requests.length;
    const reply = await call(app, paths[caller], body);
    const sent = upstream.requests.slice(before).map((request) => request.body.toString());
    told.push(neutral([place, ...shown(reply), ...sent].join("\n"), name));
  }
  expect(app.faults).toEqual([]);
  return told;
}

function shown({ status, headers, text: body }: Reply): string[] {
  return [status.toString(), String(headers["x-svc-warnings"]), body];
}

const id = /\b(chatcmpl|call|fc|ctc|msg|req|resp|rs|toolu)[-_][0-9a-zA-Z]{16,}/g;
const time = /"(created|created_at|completed_at)":\d+/g;

function neutral(text: string, name: string): string {
  return text.replaceAll(id, "$1").replaceAll(time, '"$1":0').replaceAll(name, "<name>");
}

/** As long as the name, so that estimates of tokens are equal, and inherited by nothing. */
function ordinary(name: string): string {
  return name.replace(/[a-z]/, "x");
}

/** What is tried of a name. */
type Trials = (pair: Pair, name: string) => readonly Trial[];

/** The name anywhere in a body. */
const inBodies: Trials = ({ caller, upstream }, name) => {
  const { frames } = responseFixtures[upstream];
  const script = text(frames.join(""), 200, events);
  const model = models[upstream];
  return misnamed(richBodies[caller], name).map(({ place, value }) => ({
    place,
    body: { model, ...(value as Body) },
    script,
  }));
};

/** The name anywhere in an upstream's whole answer. */
const inAnswers: Trials = ({ caller, upstream }, name) =>
  misnamed(responseFixtures[upstream].whole, name).map(({ place, value }) => ({
    place,
    body: { model: models[upstream], ...questions[caller] },
    script: json(value),
  }));

/** The name anywhere in a frame of an upstream's stream. */
const inStreams: Trials = ({ caller, upstream }, name) =>
  misnamedFrames(responseFixtures[upstream].frames, name).map(({ place, value }) => ({
    place,
    body: { model: models[upstream], ...questions[caller], stream: true },
    script: text(value, 200, events),
  }));

/** The name anywhere in an upstream's error. */
const inErrors: Trials = ({ caller, upstream }, name) => {
  const error = { type: "error", error: { type: "a", code: "b", param: "c", message: "d" } };
  return misnamed(error, name).map(({ place, value }) => ({
    place,
    body: { model: models[upstream], ...questions[caller] },
    script: json(value, 418),
  }));
};

function misnamedFrames(frames: readonly string[], name: string) {
  return frames.flatMap((frame, index) => {
    const data = /^data: (\{.*\})$/m.exec(frame)?.[1];
    if (data === undefined) return [];
    return misnamed(JSON.parse(data), name).map(({ place, value }) => ({
      place: `${index} ${place}`,
      value: frames.with(index, frameOf(value)).join(""),
    }));
  });
}

/** The line that names an event follows its type. */
function frameOf(value: unknown): string {
  const { type } = value as { type?: unknown };
  const head = typeof type === "string" ? `event: ${type}\n` : "";
  return `${head}data: ${JSON.stringify(value)}\n\n`;
}

describe.each(allPairs)("a name of every object, $caller caller, $upstream upstream", (pair) => {
  it("is put into a body that every upstream takes", async () => {
    const [plain] = inBodies(pair, "unused");
    const body = { ...plain?.body, unused: undefined };
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(plain?.script ?? json({}));
    expect((await call(app, paths[pair.caller], body)).status).toBe(200);
  });

  it.each(
    prototypeNames.flatMap((name) => [
      { name, where: "a body", trials: inBodies },
      { name, where: "an answer", trials: inAnswers },
      { name, where: "a stream", trials: inStreams },
      { name, where: "an error", trials: inErrors },
    ]),
  )("is a name like any other: `$name` in $where", async ({ name, trials }) => {
    const other = ordinary(name);
    const [told, expected] = await Promise.all([
      outcomes(pair, name, trials(pair, name)),
      outcomes(pair, other, trials(pair, other)),
    ]);
    expect(told).toEqual(expected);
  });
});
