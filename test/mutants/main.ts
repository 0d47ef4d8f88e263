/**
 * `npm run mutants`: puts one small fault at a time into the code and says which of them
 * the tests of `npm test` do not notice. See docs/engineering/mutants.md.
 */
import { dirname, relative } from "node:path";
import { parseArgs } from "node:util";
import { SeededRandom } from "../support/seeded-random.ts";
import { findMutants, putIn, type Mutant } from "./find-mutants.ts";
import { Workshop, type TestRun } from "./workshop.ts";

/** What the mutants are drawn from, evenly: where a fault costs most. */
const areas: Readonly<Record<string, readonly string[]>> = {
  roles: [
    "src/team/{ranks,membership,members,team-memberships,accept-invite,invites,people,teams}.ts",
    "src/team/item/*.ts",
    "src/account/{authenticator,key-selection,key-settings,team-keys,team-membership}.ts",
    "src/transport/interceptors/*.ts",
    "src/contract/method-policy.ts",
  ],
  ledger: ["src/wallet/*.ts", "src/gateway/credits/**/*.ts", "src/account/key-spend.ts"],
  "egress guard": ["src/platform/dial/**/*.ts", "src/platform/endpoint/**/*.ts"],
  codecs: ["src/dialect/**/*.ts"],
  "sign-in": [
    "src/account/*{sign-in,session,key,token,same-origin,email-address,users}*.ts",
    "src/platform/crypto/**/*.ts",
  ],
};

/** Files in the first, small run against a mutant: those that reach the fewest mutants. */
const nearestFiles = 6;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    count: { type: "string", default: "200" },
    only: { type: "string", multiple: true, default: [] },
    together: { type: "boolean", default: false },
    project: { type: "string", multiple: true, default: ["unit", "integration"] },
    list: { type: "boolean", default: false },
  },
});

const workshop = await Workshop.open();
const drawn = drawMutants(Number(values.seed), Number(values.count));
console.log(`${drawn.length} mutants, seed ${values.seed}.`);
if (values.list) {
  for (const [index, mutant] of drawn.entries()) console.log(describe(index, mutant));
  process.exit(0);
}
const numbers = values.only.length > 0 ? values.only.map(Number) : [...drawn.keys()];
if (values.together) {
  const run = await runTogether(numbers);
  console.log(
    run.passed ? "All tests pass." : `These fail: ${run.failedFiles.join(", ") || run.failure}`,
  );
  process.exit(0);
}
const reached = await findReached();
let survived = 0;
const started = Date.now();
for (const index of numbers) {
  const mutant = drawn[index];
  if (mutant === undefined) throw new Error(`There is no mutant ${index}.`);
  const files = reached.get(index) ?? [];
  const killer = await findKiller(mutant, files);
  if (killer === undefined) survived++;
  const verdict = killer === undefined ? `SURVIVED ${files.length} files` : `killed: ${killer}`;
  console.log(`${describe(index, mutant)}  ${verdict}`);
}
const minutes = Math.round((Date.now() - started) / 60_000);
console.log(`\n${numbers.length - survived} of ${numbers.length} killed in ${minutes} min.`);
process.exit(0);

/** As many of each area, each once, and the same for the same seed. */
function drawMutants(seed: number, count: number): Mutant[] {
  const random = new SeededRandom(seed);
  const names = Object.keys(areas);
  return names.flatMap((name, place) => {
    const found = workshop
      .files(areas[name] ?? [])
      .flatMap((file) => findMutants(file, workshop.read(file)));
    const wanted = Math.floor(count / names.length) + (place < count % names.length ? 1 : 0);
    const chosen = new Set<Mutant>();
    while (chosen.size < Math.min(wanted, found.length)) chosen.add(random.pick(found));
    return [...chosen];
  });
}

/**
 * Runs all tests once, with a probe at each expression that a mutant could replace, and
 * gives the test files that can notice each drawn mutant, the most particular first. What
 * runs at load is noticed by whoever calls anything of the file.
 */
async function findReached(): Promise<Map<number, string[]>> {
  const originals = new Map(
    [...new Set(drawn.map(({ file }) => file))].map((file) => [file, workshop.read(file)]),
  );
  const probes: Mutant[] = [];
  for (const [file, code] of originals) {
    const here = findMutants(file, code).filter(({ atLoad }) => !atLoad);
    workshop.write(file, withProbes(file, here, probes.length));
    probes.push(...here);
  }
  const run = await workshop.runTests(values.project, []);
  for (const [file, code] of originals) workshop.write(file, code);
  if (!run.passed)
    console.log(`Without a mutant these fail: ${run.failedFiles.join(", ") || run.failure}`);
  const failing = new Set(run.failedFiles);
  const filesOf = workshop.reached();
  const breadth = new Map<string, number>();
  for (const files of filesOf.values()) {
    for (const file of files) breadth.set(file, (breadth.get(file) ?? 0) + 1);
  }
  const reachedBy = (mutant: Mutant): string[] => {
    const near = probes.flatMap((probe, number) => {
      const isNear = probe.file === mutant.file && (mutant.atLoad || probe.start === mutant.start);
      return isNear ? [...(filesOf.get(number) ?? [])] : [];
    });
    return [...new Set(near)]
      .filter((file) => !failing.has(file))
      .toSorted((one, other) => (breadth.get(one) ?? 0) - (breadth.get(other) ?? 0));
  };
  return new Map(drawn.map((mutant, index) => [index, reachedBy(mutant)]));
}

/** The code with a call of `reached` before each of these expressions, counted from `first`. */
function withProbes(file: string, places: readonly Mutant[], first: number): string {
  const edits = places.flatMap(({ start, end }, index) => [
    { at: start, depth: end, text: `(__reached(${first + index}),(` },
    { at: end, depth: -start, text: "))" },
  ]);
  // Of two that begin at one place the longer is the outer one.
  const ordered = edits.toSorted((one, other) => other.at - one.at || one.depth - other.depth);
  let probed = workshop.read(file);
  for (const { at, text } of ordered) probed = probed.slice(0, at) + text + probed.slice(at);
  const probe = relative(dirname(file), "test/mutants/probe.ts");
  return `import { reached as __reached } from "${probe}";\n${probed}`;
}

/** The test that fails because of the mutant; undefined if all of these files pass. */
async function findKiller(mutant: Mutant, files: readonly string[]): Promise<string | undefined> {
  if (files.length === 0) return undefined;
  const code = workshop.read(mutant.file);
  workshop.write(mutant.file, putIn(mutant, code));
  try {
    for (const part of [files.slice(0, nearestFiles), files.slice(nearestFiles)]) {
      if (part.length === 0) continue;
      const run = await workshop.runTests(values.project, part, { mayFail: 1 });
      if (!run.passed) return run.failure;
    }
    return undefined;
  } finally {
    workshop.write(mutant.file, code);
  }
}

/** Runs all tests with all of these mutants at once: those that survive together survive alone. */
async function runTogether(chosen: readonly number[]): Promise<TestRun> {
  // From the end of each file, so that the places of the others stay.
  const mutants = chosen
    .map((index) => ({ index, mutant: drawn[index] }))
    .toSorted((one, other) => (other.mutant?.start ?? 0) - (one.mutant?.start ?? 0));
  const begins = new Map<string, number>();
  for (const { index, mutant } of mutants) {
    if (mutant === undefined) throw new Error(`There is no mutant ${index}.`);
    if (mutant.end > (begins.get(mutant.file) ?? Infinity)) {
      console.log(`Left out, because another one lies in it: ${describe(index, mutant)}`);
      continue;
    }
    begins.set(mutant.file, mutant.start);
    workshop.write(mutant.file, putIn(mutant, workshop.read(mutant.file)));
  }
  return await workshop.runTests(values.project, []);
}

function describe(index: number, { file, line, start, end, replacement }: Mutant): string {
  const original = workshop.read(file).slice(start, end).replaceAll(/\s+/g, " ");
  return `${index}  ${file}:${line}  ${shorten(original)}  →  ${shorten(replacement.replaceAll(/\s+/g, " "))}`;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
