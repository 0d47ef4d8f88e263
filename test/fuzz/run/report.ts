import type { FuzzCase } from "../fuzz-case.ts";
import type { Protocol } from "../generators/all-protocols.ts";
import type { CasePlace, Finding } from "./findings.ts";
import type { Memory } from "./server-under-test.ts";
import { tallyColumns, type Tally } from "./tally.ts";

/** What a run found, and how the server was before and after. */
export interface FuzzReport {
  readonly tallies: ReadonlyMap<Protocol, Tally>;
  readonly findings: readonly Finding[];
  readonly kills: number;
  readonly before: Memory | undefined;
  readonly after: Memory | undefined;
  readonly openConnections: number;
  readonly seconds: number;
}

const mostShown = 2000;

/** The whole report: a table by protocol, the server before and after, and each finding with how to see it again. */
export function reportText(report: FuzzReport, seed: number): string {
  return [
    tableOf(report),
    serverOf(report),
    ...report.findings.map((one) => findingOf(one, seed)),
  ].join("\n\n");
}

/** What stands against the server beside findings. */
export function settledFault(report: FuzzReport): string | undefined {
  const { openConnections } = report;
  return openConnections !== 0
    ? `${openConnections} connections are still open`
    : memoryFault(report);
}

/** Growth, in MiB, that caches, users and the first use of code explain. */
const cachesMib = 24;

/** Bytes that a request may leave for good: a quarter of what counts as a leak. */
const bytesPerRequest = 256;

/** The allocator keeps freed pages: it grew by 78 MiB on a busy machine where nothing leaked. */
const maxResidentMib = 160;

/** Returns which memory grew too much between the first requests and the end, if any did. */
function memoryFault({ before, after, tallies }: FuzzReport): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  const requests = [...tallies.values()].reduce((sum, { cases }) => sum + cases, 0);
  const mostMib = Math.max(cachesMib, 16 + (requests * bytesPerRequest) / 2 ** 20);
  const heap = after.heapMib - before.heapMib;
  if (heap > mostMib) return `the heap grew by ${heap.toFixed(0)} MiB`;
  const resident = after.residentMib - before.residentMib;
  return resident > maxResidentMib ? `memory grew by ${resident.toFixed(0)} MiB` : undefined;
}

function tableOf({ tallies, findings }: FuzzReport): string {
  const head = ["protocol", "requests", ...tallyColumns, "findings"];
  const rows = [...tallies].map(([protocol, tally]) => [
    protocol,
    tally.cases,
    ...tally.counts,
    findings.filter(({ place }) => place.protocol === protocol).length,
  ]);
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function serverOf({ before, after, kills, openConnections, seconds }: FuzzReport): string {
  const mib = (value: number | undefined) => (value === undefined ? "?" : value.toFixed(0));
  return [
    `time: ${seconds.toFixed(0)} s`,
    `process ended: ${kills} times`,
    `connections open at the end: ${openConnections}`,
    `memory (resident / heap, MiB): ${mib(before?.residentMib)} / ${mib(before?.heapMib)} before, ${mib(after?.residentMib)} / ${mib(after?.heapMib)} after`,
  ].join("\n");
}

/** One finding, with the command that makes it again and the bytes that showed it. */
export function findingOf(finding: Finding, seed: number): string {
  const { example, count } = finding;
  const bytes = example === undefined ? [] : [bytesOf(example)];
  return [headOf(finding, seed), `  seen: ${count} times`, ...bytes].join("\n");
}

/** What was seen, why, and how to see it again. */
export function headOf({ place, fault, cause }: Finding, seed: number): string {
  return [
    `FINDING ${place.protocol}: ${fault}`,
    `  cause: ${cause}`,
    `  again: npm run fuzz -- --seed ${seed} --only ${placeText(place)}`,
  ].join("\n");
}

function placeText({ protocol, batch, index }: CasePlace): string {
  return [protocol, batch, ...(index === undefined ? [] : [index])].join(":");
}

function bytesOf(example: FuzzCase): string {
  if (example.kind === "raw") {
    const pieces = example.pieces.map((piece) => `    ${shown(piece)}`);
    return [
      `  ${example.service}, ${example.reads}, then ${example.ending}; pieces:`,
      ...pieces,
    ].join("\n");
  }
  const { service, version, method, path, headers, body, upstream } = example;
  return [
    `  ${service}, ${version}: ${method} ${path}`,
    ...Object.entries(headers).map(([name, value]) => `    ${name}: ${value}`),
    ...(body === undefined ? [] : [`    ${shown(body)}`]),
    ...(upstream === undefined
      ? []
      : [
          `  upstream ${upstream.status} ${JSON.stringify(upstream.headers)}, then ${upstream.ending}:`,
        ]),
    ...(upstream?.pieces ?? []).map((piece) => `    ${shown(piece)}`),
  ].join("\n");
}

/** Printable bytes as they are, others escaped, cut where it gets long. */
function shown(bytes: Buffer): string {
  const text = JSON.stringify(bytes.toString("latin1", 0, mostShown)).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return bytes.length > mostShown ? `${text} … ${bytes.length} bytes` : text;
}
