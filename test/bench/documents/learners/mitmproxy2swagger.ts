import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { parse } from "yaml";
import { runIn } from "./in-directory.ts";
import type { Learner } from "./learner.ts";

const version = "0.14.0";

/** mitmproxy2swagger of PyPI, in a virtual environment of its own. */
export async function mitmproxy2swaggerLearner(directory: string): Promise<Learner> {
  await runIn(directory, "python3", ["-m", "venv", "."]);
  const [pip, program] = ["pip", "mitmproxy2swagger"].map((name) => join(directory, "bin", name));
  await runIn(directory, pip ?? "", ["install", "--quiet", `mitmproxy2swagger==${version}`]);
  const learn = ["-i", "capture.har", "-o", "document.yaml", "-f", "har", "-p"];
  const run = (origin: string) => runIn(directory, program ?? "", [...learn, origin]);
  const document = join(directory, "document.yaml");
  return {
    name: `mitmproxy2swagger ${version}`,
    learn: async (har) => {
      await rm(document, { force: true });
      await writeFile(join(directory, "capture.har"), JSON.stringify(har));
      // The first run proposes templates, each marked to be ignored until somebody takes it: take all.
      await run("https://service.example");
      const proposed = await readFile(document, "utf8");
      await writeFile(document, proposed.replaceAll("ignore:", ""));
      await run("https://service.example");
      return parse(await readFile(document, "utf8")) as JsonObject;
    },
  };
}
