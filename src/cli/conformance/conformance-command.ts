import { readFileSync } from "node:fs";
import { InvalidArgumentError, Option, type Command } from "commander";
import { AgentService } from "../../../gen/ts/causeway/agent/v1/agent_pb.ts";
import type { DialectName } from "../../conformance/ask.ts";
import type { GatewayAddress } from "../../conformance/http/gateway-client.ts";
import { dialectNames, runConformance } from "../../conformance/run-conformance.ts";
import { callerOf, type Caller } from "../caller.ts";
import { credentialForCall } from "../credentials.ts";
import { gateway, serverUrl } from "../server-url.ts";
import { tell } from "../tell.ts";
import { startProgress } from "../tools/progress.ts";
import { conformanceText } from "./conformance-text.ts";
import { trimTrailing } from "../../platform/trim-character.ts";

const moreHelp = `
It works against any gateway or vendor: its answers are held to the rules that the official
clients rely on. Every dialect is asked about 40 short questions, one after the other.
Examples:
  causeway conformance --model custom/my-vendor/some-model
  causeway conformance --base-url https://gateway.example/v1 --key - --model some-model --dialect chat
Exit codes: 0, no case failed; 1, a case failed, or the gateway cannot be reached;
2, the command line was not understood.`;

interface ConformanceFlags {
  readonly baseUrl?: URL;
  readonly key?: string;
  readonly model: string;
  readonly dialect: DialectName | "all";
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
    .option("--base-url <url>", "the gateway, with or without /v1 (default: CAUSEWAY_URL)", readUrl)
    .option("--key <key>", "its key; - reads it from standard input (see below)")
    .addOption(dialect.choices([...dialectNames, "all"]))
    .option("--only <text>", "only cases with this in their name, such as messages/tool")
    .option("--timeout <seconds>", "for each answer", readSeconds, 120)
    .option("--json", "print the whole report as JSON")
    .addHelpText(
      "after",
      `\nWithout --base-url, the key is CAUSEWAY_KEY or that of the profile; neither is sent to another address.${moreHelp}`,
    );
  command.action(async () => {
    const flags = command.opts<ConformanceFlags>();
    await tell(async () => {
      const gateway = gatewayOf(flags, callerOf(command));
      if (gateway.key === "") return command.error("error: --key is missing: the gateway's key");
      await run(flags, gateway);
    });
  });
}

async function run(flags: ConformanceFlags, gateway: GatewayAddress): Promise<void> {
  const progress = startProgress(`asking ${gateway.baseUrl.host}`);
  const report = await runConformance({
    gateway,
    model: flags.model,
    dialects: flags.dialect === "all" ? dialectNames : [flags.dialect],
    only: flags.only,
  }).finally(() => progress.done());
  console.log(flags.json === true ? JSON.stringify(report, undefined, 2) : conformanceText(report));
  if (report.failed > 0) process.exitCode = 1;
}

/** The key of the profile or the environment belongs to our own server, and is sent nowhere else. */
function gatewayOf(flags: ConformanceFlags, caller: Caller): GatewayAddress {
  const own = flags.baseUrl === undefined && flags.key === undefined ? ownKey(caller) : "";
  return {
    baseUrl: flags.baseUrl ?? readUrl(serverUrl(gateway, caller).href),
    key: readKey(flags.key ?? own),
    timeoutMs: flags.timeout * 1000,
  };
}

/** A run of many calls is not paid with the first key of the machine unless that is said. */
function ownKey(caller: Caller): string {
  const method = AgentService.method.listThreads;
  const credential = credentialForCall(method, serverUrl(gateway, caller), caller);
  return credential === undefined || credential.from === "data directory" ? "" : credential.token;
}

function readKey(text: string): string {
  return text === "-" ? readFileSync(0, "utf8").trim() : text.trim();
}

/** Both conventions are taken: the address of chat clients ends in `/v1`, that of messages clients does not. */
function readUrl(text: string): URL {
  const url = URL.parse(trimTrailing(text, "/").replace(/\/v1$/, ""));
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError("It must be an http or https address.");
  }
  return url;
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 3600)) throw new InvalidArgumentError("It must be 1 to 3600.");
  return seconds;
}
