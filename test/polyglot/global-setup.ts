import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { repository, runTool } from "../../scripts/run-tool.ts";
import { requireGo } from "../../scripts/toolchain/go.ts";
import { MissingToolchainError } from "../../scripts/toolchain/missing-toolchain.ts";
import { ensurePython } from "../../scripts/toolchain/python.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The program of `test/polyglot/go`; empty where Go is missing. */
    goJourney: string;
    /** A Python with all that the package of `gen/python` needs; empty where Python is missing. */
    python: string;
  }
}

/** Builds what the tests run. A toolchain that is missing is a failure in continuous integration only. */
export default async function provideToolchains(project: TestProject): Promise<void> {
  project.provide("goJourney", await orNothing(buildGoJourney()));
  project.provide("python", await orNothing(ensurePython().then(({ python }) => python)));
}

async function buildGoJourney(): Promise<string> {
  const program = join(repository, "node_modules/.cache/causeway/go-journey");
  await runTool(await requireGo(), ["-C", "test/polyglot/go", "build", "-o", program, "."]);
  return program;
}

async function orNothing(toolchain: Promise<string>): Promise<string> {
  try {
    return await toolchain;
  } catch (error) {
    if (!(error instanceof MissingToolchainError) || process.env["CI"] !== undefined) throw error;
    process.stderr.write(`${error.message} Its tests are passed over.\n`);
    return "";
  }
}
