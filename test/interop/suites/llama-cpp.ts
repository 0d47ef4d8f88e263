import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { XMLParser } from "fast-xml-parser";
import { install } from "../packages.ts";
import { runExternal } from "../workspace.ts";
import { checkOut } from "./checkout.ts";
import type { PublicSuite, Target, SuiteResult } from "./suite.ts";
import { putKeyAndModel } from "./key-and-model.ts";

const suites = [
  ["messages", "test_compat_anthropic.py"],
  ["responses", "test_compat_oai_responses.py"],
] as const;

interface Reported {
  readonly testsuites: {
    readonly testsuite: {
      readonly testcase: readonly {
        readonly name: string;
        readonly failure?: { readonly message: string };
        readonly error?: { readonly message: string };
        readonly skipped?: unknown;
      }[];
    };
  };
}

/** llama.cpp's tests of compatibility, with the gateway in the place of its server. */
export const llamaCpp: PublicSuite = {
  name: "llama.cpp",
  prepare: async (workshop) => {
    const { folder, version } = await checkOut(workshop, "CAUSEWAY_JUDGE_LLAMA_CPP");
    const packages = await workshop.newFolder("llama-cpp-packages");
    const names = ["pytest", "requests", "openai"] as const;
    await install({ manager: "pip", names }, packages);
    const own = await workshop.newFolder("llama-cpp-suite");
    for (const [, file] of suites) {
      await cp(join(folder, "tools/server/tests/unit", file), join(own, file));
    }
    await cp(join(import.meta.dirname, "llama-cpp"), own, { recursive: true });
    return { version, run: (target) => judge(own, packages, target) };
  },
};

async function judge(
  folder: string,
  packages: string,
  target: Target,
): Promise<readonly SuiteResult[]> {
  await using front = await putKeyAndModel(target);
  const verdicts: SuiteResult[] = [];
  for (const [surface, file] of suites) {
    const report = join(target.home, `${file}.xml`);
    await runExternal({
      words: ["python3", "-m", "pytest", "-q", file, `--junitxml=${report}`],
      home: target.home,
      directory: folder,
      environment: { PYTHONPATH: packages, JUDGED_URL: front.url },
      limitMs: 120_000,
    });
    verdicts.push(...(await readReport(report, surface)));
  }
  return verdicts;
}

async function readReport(
  path: string,
  surface: (typeof suites)[number][0],
): Promise<readonly SuiteResult[]> {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    isArray: (name) => name === "testcase",
  });
  const { testsuites } = parser.parse(await readFile(path, "utf8")) as Reported;
  return testsuites.testsuite.testcase.map(({ name, failure, error, skipped }) => {
    const reason = (failure ?? error)?.message.split("\n")[0] ?? "";
    const failed = failure !== undefined || error !== undefined;
    const outcome = failed ? "failed" : skipped === undefined ? "held" : "skipped";
    return { surface, name, outcome, reason };
  });
}
