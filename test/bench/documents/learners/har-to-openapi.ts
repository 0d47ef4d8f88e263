import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { runIn } from "./in-directory.ts";
import type { Learner } from "./learner.ts";

const version = "3.0.1";

/** Told to find parameters in paths, which it does not do unless it is told. */
const script = `
import { readFileSync, writeFileSync } from "node:fs";
import { generateSpec } from "har-to-openapi";
const har = JSON.parse(readFileSync("capture.har", "utf8"));
const options = { attemptToParameterizeUrl: true, guessAuthenticationHeaders: true };
const { spec } = await generateSpec(har, options);
writeFileSync("document.json", JSON.stringify(spec));
`;

/** har-to-openapi of npm, installed in a directory of its own. */
export async function harToOpenapiLearner(directory: string): Promise<Learner> {
  await writeFile(join(directory, "package.json"), JSON.stringify({ type: "module" }));
  await runIn(directory, "npm", [
    "install",
    "--no-audit",
    "--no-fund",
    `har-to-openapi@${version}`,
  ]);
  await writeFile(join(directory, "learn.js"), script);
  return {
    name: `har-to-openapi ${version}`,
    learn: async (har) => {
      await writeFile(join(directory, "capture.har"), JSON.stringify(har));
      await runIn(directory, process.execPath, ["learn.js"]);
      return JSON.parse(await readFile(join(directory, "document.json"), "utf8")) as JsonObject;
    },
  };
}
