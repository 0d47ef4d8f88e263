import { fromJson, type DescMethodUnary, type JsonObject } from "@bufbuild/protobuf";
import { Option, type Command } from "commander";
import { DepshealthService } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { EcosystemSchema } from "../../../gen/ts/causeway/depshealth/v1/package_health_pb.ts";
import { addAuditCommand } from "../audit/audit-command.ts";
import { invokeServerRpc } from "../invoke-method.ts";
import { resolveCliProfileContext } from "../cli-context.ts";
import { readProtoCommentSummary } from "../../contract/comments.ts";
import { getRestEnumNames } from "../../contract/enum-spelling.ts";
import { parseOrThrowUsageError } from "../parse-or-usage-error.ts";
import {
  runtimeCycleFindingNames,
  exitCodeWhenFindings,
  findRuntimeEolFindingNames,
  findPackageHealthFindingNames,
  packageFindingNames,
  createFailOnParser,
} from "./findings.ts";
import { runAndReportCliError } from "../run-command.ts";
import { formatRuntimeEol, formatPackageHealth } from "./format-reports.ts";
import { formatTerminalSafeJson, writeToStdout } from "../output.ts";

const { packageHealth, runtimeEol } = DepshealthService.method;

/** A job must not pass on what is not there, or what nobody has looked at. */
const packageFailOn = "deprecated,archived,malicious,not-found,not-assessed";

const exitCodes = `
Exit codes: 0, nothing of --fail-on was found; 1, the server refused or cannot be reached;
2, the command line was not understood; ${exitCodeWhenFindings.toString()}, something of --fail-on was found.`;

/** Adds `health`, `audit` and `eol`, which speak to people and to CI jobs. */
export function addDependencyHealthCommands(program: Command): void {
  addHealth(program);
  addAuditCommand(program);
  addEol(program);
}

function addHealth(program: Command): void {
  const command = program.command("health <ecosystem> <name> [version]");
  addOptions(command, packageHealth, {
    findings: packageFindingNames,
    failOn: packageFailOn,
    context: "Looking at a package",
  });
  command.action(async (ecosystem: string, name: string, version: string | undefined) => {
    const { byName, names } = getRestEnumNames(EcosystemSchema);
    const number = byName.get(ecosystem);
    if (number === undefined) {
      const words = names.join(", ");
      return command.error(`error: "${ecosystem}" is no ecosystem; it must be one of ${words}`);
    }
    const fields = { ecosystem: number, name, ...(version !== undefined && { version }) };
    await run(command, packageHealth, fields, formatPackageHealth, findPackageHealthFindingNames);
  });
}

function addEol(program: Command): void {
  const command = program.command("eol <product> [cycle]");
  addOptions(command, runtimeEol, {
    findings: runtimeCycleFindingNames,
    failOn: "eol",
    context: "Looking at a release cycle",
  });
  command.action(async (product: string, cycle: string | undefined) => {
    const fields = { product, ...(cycle !== undefined && { cycle }) };
    // Every product has cycles that have ended.
    const findings = cycle === undefined ? () => [] : findRuntimeEolFindingNames;
    await run(command, runtimeEol, fields, formatRuntimeEol, findings);
  });
}

/** What the options of a command take, and what they are without a word. */
interface CommonOptions {
  readonly findings: readonly string[];
  readonly failOn: string;
  readonly context: string;
}

function addOptions(
  command: Command,
  method: DescMethodUnary,
  { findings, failOn, context }: CommonOptions,
): void {
  const code = exitCodeWhenFindings.toString();
  const read = createFailOnParser(findings);
  const failOption = new Option(
    "--fail-on <words>",
    `end with ${code} when one of these is found: none, or some of ${findings.join(", ")}`,
  );
  command
    .description(readProtoCommentSummary(`${method.parent.typeName}.${method.name}`))
    .option("--context <sentence>", "what you are about; it tunes the summary", context)
    .addOption(failOption.argParser(read).default(read(failOn), failOn))
    .option("--json", "print the whole answer as JSON")
    .addHelpText("after", exitCodes);
}

interface ToolOptions {
  readonly context: string;
  readonly failOn: ReadonlySet<string>;
  readonly json?: boolean;
}

async function run(
  command: Command,
  method: DescMethodUnary,
  fields: JsonObject,
  text: (report: JsonObject) => string,
  findings: (report: JsonObject) => readonly string[],
): Promise<void> {
  const { context, failOn, json } = command.opts<ToolOptions>();
  const message = parseOrThrowUsageError(command, () =>
    fromJson(method.input, { ...fields, task_context: context }),
  );
  await runAndReportCliError(async () => {
    const report = await invokeServerRpc(method, message, resolveCliProfileContext(command));
    writeToStdout(json === true ? formatTerminalSafeJson(report) : text(report));
    if (findings(report).some((found) => failOn.has(found)))
      process.exitCode = exitCodeWhenFindings;
  });
}
