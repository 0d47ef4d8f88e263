import type { DescMethodUnary, DescService } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { CallError } from "./call-error.ts";
import { call } from "./call.ts";
import { commandName } from "./command-name.ts";
import { summaryOf } from "./comments.ts";
import { readable } from "./print.ts";
import { pathFields } from "./request-fields.ts";
import { addRequestFlags } from "./request-flags.ts";
import { requestMessage } from "./request-message.ts";
import { services } from "./services.ts";
import { addConformanceCommand } from "./conformance/conformance-command.ts";
import { isTool } from "./tools/is-tool.ts";
import { addToolCommands } from "./tools/tool-commands.ts";

const environmentHelp = `
Environment of the commands that call the server:
  CAUSEWAY_URL          where it is (default: http://127.0.0.1:8080)
  CAUSEWAY_TOOLS_URL    where its tools are (default: http://127.0.0.1:8081)
  CAUSEWAY_KEY          caller key or session token (default: the first key in the data directory)
  CAUSEWAY_ADMIN_TOKEN  operator token (default: the one in the data directory)`;

/** Adds `causeway <noun> <verb>` for every unary method of the contract that this version serves. */
export function addClientCommands(program: Command): void {
  addToolCommands(program);
  addConformanceCommand(program);
  const nouns = new Map(program.commands.map((command) => [command.name(), command]));
  for (const method of services.flatMap(unaryMethods)) {
    const { noun, verb } = commandName(method);
    const parent = nouns.get(noun) ?? program.command(noun);
    nouns.set(noun, parent);
    addCommand(parent, verb, method);
  }
  for (const command of nouns.values()) {
    if (command.description() === "") command.description(verbsOf(command));
  }
  program.addHelpText("after", environmentHelp);
}

function unaryMethods(service: DescService): DescMethodUnary[] {
  return service.methods.filter(
    (method): method is DescMethodUnary => method.methodKind === "unary" && !isTool(method),
  );
}

function verbsOf(command: Command): string {
  return command.commands.map((child) => child.name()).join(", ");
}

function addCommand(parent: Command, verb: string, method: DescMethodUnary): void {
  const command = parent.command(verb);
  command.description(summaryOf(`${method.parent.typeName}.${method.name}`));
  addRequestFlags(command, method);
  command.option("--json", "print the whole answer as JSON");
  command.action(async () => {
    const { json, ...flags } = command.opts<Record<string, unknown>>();
    const pathValues = command.args.slice(0, pathFields(method).length);
    const request = orUsageError(command, () => requestMessage(method, pathValues, flags));
    await show(() => call(method, request, process.env), json === true);
  });
}

function orUsageError<Value>(command: Command, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    return command.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function show(answer: () => ReturnType<typeof call>, asJson: boolean): Promise<void> {
  try {
    const result = await answer();
    console.log(asJson ? JSON.stringify(result, undefined, 2) : readable(result));
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
