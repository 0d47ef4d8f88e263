/**
 * `npm run bench:documents`: how well documents are learned. Public OpenAPI documents become
 * random traffic, the traffic becomes a document, and that is held against the first. See --help.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { OpenApiDiffDocument } from "../../../src/cli/services/diff/open-api-document.ts";
import { startServer, type ServerProcess } from "../../support/server-process.ts";
import { markdown, tableOf } from "../report/table.ts";
import { aspects, factsOf, type Facts } from "./facts.ts";
import { causewayLearner } from "./learners/causeway.ts";
import { harToOpenapiLearner } from "./learners/har-to-openapi.ts";
import type { Learner } from "./learners/learner.ts";
import { mitmproxy2swaggerLearner } from "./learners/mitmproxy2swagger.ts";
import { Score } from "./score.ts";
import { folderSources, ownSource, publicSources, type Source } from "./sources.ts";
import { trafficOf } from "./traffic/traffic-of.ts";

const usage = `npm run bench:documents -- [options]
  --folder <path>        OpenAPI documents of your own, in place of the public ones
  --observations <list>  requests of each operation (1,3,10,50)
  --seed <number>        of the random traffic (1)
  --alone                without mitmproxy2swagger and har-to-openapi
  --show                 print what was missed and what was wrong
It needs npm's and, unless --alone, PyPI's packages: they are installed in a temporary folder.`;

const options = {
  folder: { type: "string" },
  observations: { type: "string", default: "1,3,10,50" },
  seed: { type: "string", default: "1" },
  alone: { type: "boolean", default: false },
  show: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

type Options = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

interface Row {
  readonly learner: string;
  readonly observations: number;
  readonly score: Score;
}

const ours = "Causeway";

/** A fact that only one of two documents has is shown at most so often. */
const shownAtMost = 40;

async function run(values: Options): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "causeway-bench-"));
  const server = await startServer();
  try {
    const sources = await sourcesOf(values, directory, server);
    const learners = await learnersOf(values, directory, server);
    const counts = values.observations.split(",").map(Number);
    const rows = await rowsOf(sources, learners, counts, values);
    const names = sources.map(({ name }) => name).join(", ");
    const columns = [
      { heading: "learner", cell: ({ learner }: Row) => learner },
      { heading: "requests", cell: ({ observations }: Row) => observations.toString() },
      ...aspects.map((aspect) => {
        return { heading: aspect, cell: ({ score }: Row) => score.f1(aspect).toFixed(3) };
      }),
      { heading: "leaks", cell: ({ score }: Row) => score.leaks.toString() },
    ];
    console.log(`\n${markdown(tableOf("Learned documents", `F1 over ${names}.`, columns, rows))}`);
    if (rows.some(({ learner, score }) => learner === ours && score.leaks > 0)) {
      throw new Error("a value of the traffic stands in a document");
    }
  } finally {
    await server.end();
    await rm(directory, { recursive: true, force: true });
  }
}

async function sourcesOf(
  { folder }: Options,
  directory: string,
  server: ServerProcess,
): Promise<Source[]> {
  if (folder !== undefined) return folderSources(folder);
  const own = [ownSource("gateway", server.url), ownSource("tools", server.toolsUrl)];
  return [...(await publicSources(await below(directory, "sources"))), ...(await Promise.all(own))];
}

async function learnersOf(
  { alone }: Options,
  directory: string,
  server: ServerProcess,
): Promise<Learner[]> {
  if (alone) return [causewayLearner(server)];
  return [
    causewayLearner(server),
    await mitmproxy2swaggerLearner(await below(directory, "mitmproxy2swagger")),
    await harToOpenapiLearner(await below(directory, "har-to-openapi")),
  ];
}

async function below(directory: string, name: string): Promise<string> {
  const path = join(directory, name);
  await mkdir(path);
  return path;
}

async function rowsOf(
  sources: readonly Source[],
  learners: readonly Learner[],
  counts: readonly number[],
  values: Options,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const learner of learners) {
    for (const observations of counts) {
      const score = new Score();
      for (const source of sources) await addScore(score, learner, source, observations, values);
      rows.push({ learner: learner.name, observations, score });
      console.error(`${learner.name}, ${observations}: done`);
    }
  }
  return rows;
}

async function addScore(
  score: Score,
  learner: Learner,
  { name, document }: Source,
  observations: number,
  { seed, show }: Options,
): Promise<void> {
  const { har, facts, canaries } = trafficOf(document, observations, Number(seed));
  const learned = await learner.learn(har).catch((error: unknown) => {
    if (learner.name === ours) throw error;
    console.error(`${learner.name} makes nothing of ${name}: ${lastLine(error)}`);
    return {};
  });
  const found = factsOf(new OpenApiDiffDocument(learned));
  const leaks = canaries.leaksIn(JSON.stringify(learned), JSON.stringify(document.root));
  score.add(facts, found, leaks.length);
  if (show) showDifference(`${learner.name}, ${observations} of ${name}`, facts, found, leaks);
}

/** Where a program says why it ended. */
function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split("\n").at(-1) ?? "";
}

function showDifference(title: string, truth: Facts, found: Facts, leaks: readonly string[]): void {
  console.log(`\n${title}`);
  for (const aspect of aspects) {
    const missed = [...truth[aspect]].filter((fact) => !found[aspect].has(fact));
    const wrong = [...found[aspect]].filter((fact) => !truth[aspect].has(fact));
    for (const fact of missed.slice(0, shownAtMost)) console.log(`- ${aspect}: ${fact}`);
    for (const fact of wrong.slice(0, shownAtMost)) console.log(`+ ${aspect}: ${fact}`);
  }
  for (const leak of leaks) console.log(`! leak: ${leak}`);
}

try {
  const { values } = parseArgs({ options });
  if (values.help) console.log(usage);
  else await run(values);
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
