import type { DescMethodUnary, DescService, JsonObject } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { AgentService } from "../../gen/ts/causeway/agent/v1/agent_pb.ts";
import { DocumentService } from "../../gen/ts/causeway/document/v1/document_pb.ts";
import { CallService } from "../../gen/ts/causeway/call/v1/call_pb.ts";
import { WalletService } from "../../gen/ts/causeway/wallet/v1/wallet_pb.ts";
import { invokeServerRpc } from "./invoke-method.ts";
import { resolveCliProfileContext } from "./cli-context.ts";
import { toLoggedCallCliRow } from "./calls/call-row.ts";
import { toUsageTableRow } from "./calls/usage-row.ts";
import { addCallsTailCommand } from "./calls/tail-command.ts";
import { addChatCommand } from "./chat/chat-command.ts";
import { methodToCliCommandName } from "./command-name.ts";
import { readProtoCommentSummary } from "../contract/comments.ts";
import { formatCliResultAsText, type CliTableRowMapper } from "./format-result.ts";
import { parseOrThrowUsageError } from "./parse-or-usage-error.ts";
import { listRequestPathFields } from "./request-fields.ts";
import { addRequestFlags } from "./request-flags.ts";
import { buildRequestFromFlags } from "./request-message.ts";
import { isExposedAsMcpTool } from "../contract/is-tool.ts";
import { allServiceDescriptors } from "../contract/services.ts";
import { addCompletionCommand } from "./completion/completion-command.ts";
import { addConformanceCommand } from "./conformance/conformance-command.ts";
import { addItemsImportCommand } from "./items/import-command.ts";
import { addLoginCommands } from "./profile/login-commands.ts";
import { runAndReportCliError } from "./run-command.ts";
import { formatThread } from "./threads/format-thread.ts";
import { addServicesLearnCommand } from "./services/learn-command.ts";
import { addServicesDiffCommand } from "./services/diff/diff-command.ts";
import {
  decodeServiceDocumentJson,
  toLearnedServiceTableRow,
  formatLearnedService,
} from "./services/service-rows.ts";
import { addDependencyHealthCommands } from "./tools/tool-commands.ts";
import { formatTerminalSafeJson, writeToStdout } from "./output.ts";

const environmentHelp = `
Environment of the commands that call the server:
  CAUSEWAY_URL          where it is (default: http://127.0.0.1:8080)
  CAUSEWAY_TOOLS_URL    where its tools are (default: http://127.0.0.1:8081)
  CAUSEWAY_PROFILE      the profile of causeway login to use (default: the current one)
  CAUSEWAY_KEY          caller key or session token (default: the session or key of the profile,
                        without a profile the first key in the data directory)
  CAUSEWAY_TIMEOUT      seconds without a byte after which a call is given up (default: 60; 240
                        for answers of models and reports about packages)
  CAUSEWAY_ADMIN_TOKEN  operator token (default: the one in the data directory, for its owner)
A profile that --profile or CAUSEWAY_PROFILE names is the only identity: CAUSEWAY_KEY is not used.
Over the current profile CAUSEWAY_KEY wins; the addresses win over those of every profile.`;

/** Of commands that are added later; those that run on the server's own machine know no profile. */
const help = { showGlobalOptions: true };

/** Adds `causeway <noun> <verb>` for every unary method of the contract; learning takes a file in place of a message. */
export function addApiClientCommands(program: Command): void {
  program.configureHelp(help).option("--profile <name>", "the profile to use, see `profiles`");
  addLoginCommands(program);
  addChatCommand(program);
  addDependencyHealthCommands(program);
  addConformanceCommand(program);
  addCompletionCommand(program);
  const nouns = new Map(program.commands.map((command) => [command.name(), command]));
  for (const method of allServiceDescriptors.flatMap(unaryMethods)) {
    const { noun, verb } = methodToCliCommandName(method);
    const parent = (nouns.get(noun) ?? program.command(noun)).configureHelp(help);
    nouns.set(noun, parent);
    addCommand(parent, verb, method);
  }
  const [calls, items, learned] = ["calls", "items", "services"].map((noun) => nouns.get(noun));
  if (calls !== undefined) addCallsTailCommand(calls);
  if (items !== undefined) addItemsImportCommand(items);
  if (learned !== undefined) {
    addServicesLearnCommand(learned);
    addServicesDiffCommand(learned);
  }
  for (const command of nouns.values()) {
    if (command.description() === "") command.description(verbsOf(command));
  }
  program.addHelpText("after", environmentHelp);
}

function unaryMethods(service: DescService): DescMethodUnary[] {
  return service.methods.filter(
    (method): method is DescMethodUnary =>
      method.methodKind === "unary" && !isExposedAsMcpTool(method) && method !== learnService,
  );
}

function verbsOf(command: Command): string {
  return command.commands.map((child) => child.name()).join(", ");
}

function addCommand(parent: Command, verb: string, method: DescMethodUnary): void {
  const command = parent.command(verb);
  command.description(readProtoCommentSummary(`${method.parent.typeName}.${method.name}`));
  addRequestFlags(command, method);
  command.option("--json", "print the whole answer as JSON");
  command.action(async () => {
    const { json, ...flags } = command.opts<Record<string, unknown>>();
    const pathValues = command.args.slice(0, listRequestPathFields(method).length);
    const request = parseOrThrowUsageError(command, () =>
      buildRequestFromFlags(method, pathValues, flags),
    );
    await runAndReportCliError(async () => {
      const answer = await invokeServerRpc(method, request, resolveCliProfileContext(command));
      writeToStdout(json === true ? formatTerminalSafeJson(answer) : textOf(method, answer));
    });
  });
}

const { learnService, listServices, getService, shipService, unshipService, getServiceDocument } =
  DocumentService.method;

/** Lists whose rows have more to say than fits on a line. */
const rowViews = new Map<DescMethodUnary, CliTableRowMapper>([
  [CallService.method.listCalls, toLoggedCallCliRow],
  [CallService.method.listAdminCalls, toLoggedCallCliRow],
  [WalletService.method.listUsage, toUsageTableRow],
  [listServices, toLearnedServiceTableRow],
]);

/** Answers that read as something else than fields. */
const texts = new Map<DescMethodUnary, (answer: JsonObject) => string>([
  [AgentService.method.getThread, formatThread],
  [getService, formatLearnedService],
  [shipService, formatLearnedService],
  [unshipService, formatLearnedService],
  [getServiceDocument, (answer) => formatTerminalSafeJson(decodeServiceDocumentJson(answer))],
]);

function textOf(method: DescMethodUnary, answer: JsonObject): string {
  const text = texts.get(method);
  return text === undefined ? formatCliResultAsText(answer, rowViews.get(method)) : text(answer);
}
