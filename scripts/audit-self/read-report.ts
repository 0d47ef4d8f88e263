import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { repository } from "../run-tool.ts";

const findingSchema = z.object({
  rule: z.string(),
  ids: z.array(z.string()).optional(),
  severity: z.string().optional(),
  message: z.string(),
  failing: z.boolean(),
  accepted: z.object({ reason: z.string(), expires: z.string(), expired: z.boolean() }).optional(),
});

const packageSchema = z.object({
  name: z.string(),
  version: z.string().nullish(),
  relation: z.string(),
  findings: z.array(findingSchema),
});

type AuditedPackage = z.infer<typeof packageSchema>;

/** Of the JSON of `causeway audit` what is told here. */
const reportSchema = z.object({ packages: z.array(packageSchema), checked_at: z.string() });

/** One thing that was found. */
export interface FoundInFile {
  /** `left-pad 1.3.0` */
  readonly subject: string;
  readonly relation: string;
  /** `deprecated`, or the id and severity of an advisory. */
  readonly finding: string;
  readonly message: string;
  readonly isFailing: boolean;
  /** Why it stays, and until when. */
  readonly accepted: { readonly reason: string; readonly expires: string } | undefined;
}

export interface AuditedFile {
  readonly checkedAt: string;
  readonly packages: number;
  readonly findings: readonly FoundInFile[];
  readonly withAdvisories: boolean;
}

export interface ReportOptions {
  readonly file: string;
  readonly baseline: string;
  readonly toolsUrl: string;
  /** False: nobody can be asked for them, and no package is blamed for that. */
  readonly withAdvisories: boolean;
}

const findingsExitCode = 3;

/** What `causeway audit` fails for by itself, as far as it can be told without advisories. */
const failingWithout = "malicious,deprecated,not-found,unparsed";

/** Runs `causeway audit` on a file. Throws when it could not be run; findings are no failure. */
export async function readReport({
  file,
  baseline,
  toolsUrl,
  withAdvisories,
}: ReportOptions): Promise<AuditedFile> {
  const failing = withAdvisories ? [] : ["--fail-on", failingWithout];
  const words = ["audit", file, "--json", "--baseline", baseline, ...failing];
  const child = spawn(join(repository, "bin/causeway.js"), words, {
    cwd: repository,
    env: { ...process.env, CAUSEWAY_TOOLS_URL: toolsUrl },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const printed = await text(child.stdout);
  const [code] = (await closed) as [number | null];
  if (code !== 0 && code !== findingsExitCode) {
    throw new Error(`causeway ${words.join(" ")} failed with exit code ${code ?? "none"}.`);
  }
  const report = reportSchema.parse(JSON.parse(printed));
  return {
    checkedAt: report.checked_at,
    packages: report.packages.length,
    findings: report.packages
      .flatMap(foundIn)
      .filter(({ finding }) => withAdvisories || finding !== "not-assessed"),
    withAdvisories,
  };
}

function foundIn({ name, version, relation, findings }: AuditedPackage): FoundInFile[] {
  return findings.map(({ rule, ids = [], severity, message, failing, accepted }) => ({
    subject: [name, version].filter(Boolean).join(" "),
    relation,
    finding: [rule === "advisory" ? ids[0] : rule, severity].filter(Boolean).join(", "),
    message,
    isFailing: failing,
    accepted: accepted?.expired === false ? accepted : undefined,
  }));
}
