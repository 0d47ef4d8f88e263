import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as yaml from "yaml";
import type { z } from "zod";
import { ConfigurationError } from "./configuration-error.ts";
import { configurationFileSchema } from "./configuration-file-schema.ts";
import { expandEnvironmentVariables } from "./expand-variables.ts";

/** The configuration file with every default filled in. */
export type ConfigurationFile = z.output<typeof configurationFileSchema>;

/**
 * Reads the JSON or YAML file of `CAUSEWAY_CONFIG`; without a path, the
 * defaults. Throws a `ConfigurationError` that names the file and the key.
 */
export function readConfigurationFile(
  path: string | undefined,
  environment: NodeJS.ProcessEnv,
): ConfigurationFile {
  if (path === undefined) return configurationFileSchema.parse({});
  const setting = `CAUSEWAY_CONFIG ${path}`;
  const content = parseText(setting, readText(setting, path));
  const result = configurationFileSchema.safeParse(
    // An empty file has no content at all.
    expandEnvironmentVariables(content ?? {}, environment, setting),
  );
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw issue === undefined ? result.error : problemOf(setting, issue);
}

function readText(setting: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigurationError(setting, `cannot be read (${code})`);
  }
}

const load = createRequire(import.meta.url);

/** The YAML library takes JSON too, but is loaded for what is no JSON only: it takes 25 ms and 6 MB. */
function parseText(setting: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(setting, text);
  }
}

function parseYaml(setting: string, text: string): unknown {
  const { parse } = load("yaml") as typeof yaml;
  try {
    return parse(text);
  } catch (error) {
    // The lines that follow show the text, which may hold secrets.
    const [firstLine = ""] = (error as Error).message.split("\n");
    const problem = firstLine.replace(/:$/, "");
    throw new ConfigurationError(setting, `is neither JSON nor YAML: ${problem}`);
  }
}

function problemOf(setting: string, issue: z.core.$ZodIssue): ConfigurationError {
  const key = keyOf(issue);
  return new ConfigurationError(key === "" ? setting : `${setting}: ${key}`, messageOf(issue));
}

/** `vendors.acme.dialects[0]` */
function keyOf(issue: z.core.$ZodIssue): string {
  const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  return [...issue.path, ...unknown]
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return "unknown key";
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.message.endsWith("received undefined") ? "is missing" : issue.message;
  }
}
