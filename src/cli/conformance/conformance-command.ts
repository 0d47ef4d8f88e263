import { readFileSync } from "node:fs";
import { InvalidArgumentError, Option, type Command } from "commander";
import { AgentService } from "../../../gen/ts/causeway/agent/v1/agent_pb.ts";
import type { ConformanceDialectName } from "../../conformance/case-request.ts";
import type { ConformanceGatewayOptions } from "../../conformance/http/gateway-client.ts";
import { conformanceDialectNames, runConformance } from "../../conformance/run-conformance.ts";
import { resolveCliProfileContext, type CliProfileContext } from "../cli-context.ts";
import { requireProfileCredential } from "../credentials.ts";
import { cliGatewayUrlConfig, resolveCliServiceUrl } from "../server-url.ts";
import { runAndReportCliError } from "../run-command.ts";
import { parseOrThrowUsageError } from "../parse-or-usage-error.ts";
import { hasUserinfo } from "../userinfo.ts";
import { startWaitIndicator } from "../tools/progress.ts";
import { formatDialectConformanceReport } from "./conformance-text.ts";
import { trimTrailingCharacter } from "../../platform/trim-character.ts";
import { formatTerminalSafeJson, writeToStdout } from "../output.ts";

const moreHelp = `
It works against any gateway or vendor: its answers are held to the rules that the official
clients rely on. Every dialect is asked about 40 short questions, one after the other.
Examples:
  causeway conformance --model custom/my-vendor/some-model
  causeway conformance --base-url https://gateway.example/v1 --key - --model some-model --dialect chat
Exit codes: 0, no case failed; 1, a case failed, or the gateway cannot be reached;
2, the command line was not understood.`;

interface ConformanceFlags {
  readonly baseUrl?: string;
  readonly key?: string;
  readonly model: string;
  readonly dialect: ConformanceDialectName | "all";
  readonly only?: string;
  readonly timeout: number;
  readonly json?: boolean;
}

/** Adds `conformance`, which scores any gateway's dialects. */
export function addConformanceCommand(program: Command): void {
  const command = program.command("conformance");
  const dialect = new Option("--dialect <dialect>", "the dialect to score").default("all");
  command
    .description("Scores the dialects of any gateway: what their official clients need of it.")
    .requiredOption("--model <model>", "the model to ask; a small one will do")
    .option("--base-url <url>", "the gateway, with or without /v1 (default: CAUSEWAY_URL)")
    .option("--key <key>", "its key; - reads it from standard input (see below)")
    .addOption(dialect.choices([...conformanceDialectNames, "all"]))
    .option("--only <text>", "only cases with this in their name, such as messages/tool")
    .option("--timeout <seconds>", "for each answer", readSeconds, 120)
    .option("--json", "print the whole report as JSON")
    .addHelpText(
      "after",
      `\nWithout --base-url, the key is CAUSEWAY_KEY or that of the profile; neither is sent to another address.${moreHelp}`,
    );
  command.action(async () => {
    const flags = command.opts<ConformanceFlags>();
    const { baseUrl } = flags;
    const url =
      baseUrl === undefined ? undefined : parseOrThrowUsageError(command, () => readUrl(baseUrl));
    await runAndReportCliError(async () => {
      const gateway = gatewayOf(flags, url, resolveCliProfileContext(command));
      if (gateway.key === "") return command.error("error: --key is missing: the gateway's key");
      await run(flags, gateway);
    });
  });
}

async function run(flags: ConformanceFlags, gateway: ConformanceGatewayOptions): Promise<void> {
  const progress = startWaitIndicator(`asking ${gateway.baseUrl.host}`);
  const report = await runConformance({
    gateway,
    model: flags.model,
    dialects: flags.dialect === "all" ? conformanceDialectNames : [flags.dialect],
    only: flags.only,
  }).finally(() => progress.done());
  writeToStdout(
    flags.json === true ? formatTerminalSafeJson(report) : formatDialectConformanceReport(report),
  );
  if (report.failed > 0) process.exitCode = 1;
}

/** The key of the profile or the environment belongs to our own server, and is sent nowhere else. */
function gatewayOf(
  flags: ConformanceFlags,
  baseUrl: URL | undefined,
  caller: CliProfileContext,
): ConformanceGatewayOptions {
  const own = baseUrl === undefined && flags.key === undefined ? ownKey(caller) : "";
  return {
    baseUrl: baseUrl ?? readUrl(resolveCliServiceUrl(cliGatewayUrlConfig, caller).href),
    key: readKey(flags.key ?? own),
    timeoutMs: flags.timeout * 1000,
  };
}

/** A run of many calls is not paid with the first key of the machine unless that is said. */
function ownKey(caller: CliProfileContext): string {
  const method = AgentService.method.listThreads;
  const credential = requireProfileCredential(
    method,
    resolveCliServiceUrl(cliGatewayUrlConfig, caller),
    caller,
  );
  return credential === undefined || credential.from === "data directory" ? "" : credential.token;
}

function readKey(text: string): string {
  return text === "-" ? readFileSync(0, "utf8").trim() : text.trim();
}

/**
 * Both conventions are taken: the address of chat clients ends in `/v1`, that of messages clients
 * does not. Throws an error that does not quote the text, which may hold a password.
 */
function readUrl(text: string): URL {
  const url = URL.parse(trimTrailingCharacter(text, "/").replace(/\/v1$/, ""));
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error("--base-url must be an http or https address");
  }
  if (hasUserinfo(url)) {
    throw new Error("--base-url must have no user and no password: the key goes into --key");
  }
  return url;
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 3600)) throw new InvalidArgumentError("It must be 1 to 3600.");
  return seconds;
}
