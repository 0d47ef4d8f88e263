import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { readTool, repository } from "../../scripts/run-tool.ts";

/** How a run of tests ended. */
export interface TestRun {
  readonly passed: boolean;
  /** The first failed test, or why there is none. Empty if all passed. */
  readonly failure: string;
  /** Failed files, relative to the repository. */
  readonly failedFiles: readonly string[];
}

/** After so long a run has failed: a mutant may loop. In milliseconds. */
const longestRun = 15 * 60_000;

/** A copy of the repository's committed files in a temporary folder, where the mutants are put in. */
export class Workshop {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Copies what git tracks, as it lies in the repository now. */
  static async open(): Promise<Workshop> {
    const folder = mkdtempSync(join(tmpdir(), "causeway-mutants-"));
    const files = (
      await readTool("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    ).split("\0");
    for (const file of files.filter(Boolean)) cpSync(join(repository, file), join(folder, file));
    for (const name of ["node_modules", ".proto"]) {
      symlinkSync(join(repository, name), join(folder, name));
    }
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    return new Workshop(folder);
  }

  /** Paths of the files that match, relative to the repository. */
  files(patterns: readonly string[]): string[] {
    return globSync([...patterns], { cwd: this.#folder }).toSorted();
  }

  read(file: string): string {
    return readFileSync(join(this.#folder, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#folder, file), text);
  }

  /** Runs the projects' tests, all or those of the named files, until `mayFail` have failed. */
  async runTests(
    projects: readonly string[],
    files: readonly string[],
    { mayFail = 0 }: { mayFail?: number } = {},
  ): Promise<TestRun> {
    const report = join(this.#folder, "mutant-report.json");
    const probes = join(this.#folder, "mutant-probes");
    for (const path of [report, probes]) rmSync(path, { recursive: true, force: true });
    mkdirSync(probes);
    const child = spawn(
      process.execPath,
      [
        join(this.#folder, "node_modules/vitest/vitest.mjs"),
        "run",
        ...projects.flatMap((project) => ["--project", project]),
        ...(mayFail > 0 ? ["--bail", String(mayFail)] : []),
        "--reporter=json",
        `--outputFile=${report}`,
        ...files,
      ],
      {
        cwd: this.#folder,
        env: { ...process.env, CI: "true", MUTANT_PROBES: probes },
        stdio: "ignore",
        // A group of its own, so that what it started ends with it.
        detached: true,
      },
    );
    const limit = setTimeout(() => child.pid && process.kill(-child.pid, "SIGKILL"), longestRun);
    const [code] = (await once(child, "close")) as [number | null];
    clearTimeout(limit);
    return code === 0
      ? { passed: true, failure: "", failedFiles: [] }
      : this.#readReport(report, code);
  }

  /** The test files that reached each probe in the last run: see `probe.ts`. */
  reached(): Map<number, Set<string>> {
    const reached = new Map<number, Set<string>>();
    const folder = join(this.#folder, "mutant-probes");
    const lines = readdirSync(folder).flatMap((name) =>
      readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean),
    );
    for (const line of lines) {
      const [probe, file = ""] = line.split("\t");
      const files = reached.get(Number(probe)) ?? new Set();
      reached.set(Number(probe), files.add(relative(this.#folder, file)));
    }
    return reached;
  }

  #readReport(path: string, code: number | null): TestRun {
    try {
      const report = JSON.parse(readFileSync(path, "utf8")) as JsonReport;
      const failed = report.testResults.filter(({ status }) => status === "failed");
      const tests = failed.flatMap(({ assertionResults }) => assertionResults);
      const first = tests.find(({ status }) => status === "failed")?.fullName;
      const failedFiles = failed.map(({ name }) => relative(this.#folder, name));
      return {
        passed: false,
        failure: first ?? failedFiles[0] ?? `exit code ${code}`,
        failedFiles,
      };
    } catch {
      const failure = code === null ? "it took too long" : `exit code ${code}`;
      return { passed: false, failure, failedFiles: [] };
    }
  }
}

/** Of the JSON reporter of Vitest. */
interface JsonReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}
