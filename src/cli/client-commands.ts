import type { DescMethodUnary, DescService } from "@bufbuild/protobuf";
import { Command } from "commander";
import { call, CallRefused } from "./call.ts";
import { commandName } from "./command-name.ts";
import { readable } from "./print.ts";
import { addRequestFlags, pathFields, requestJson } from "./request-flags.ts";
import { services } from "./services.ts";

/** Adds `causeway <noun> <verb>` for every unary method of the contract that this version serves. */
export function addClientCommands(program: Command): void {
  const nouns = new Map(program.commands.map((command) => [command.name(), command]));
  for (const method of services.flatMap(unaryMethods)) {
    const { noun, verb } = commandName(method);
    const parent = nouns.get(noun) ?? program.command(noun).description(`operations on ${noun}`);
    nouns.set(noun, parent);
    parent.addCommand(clientCommand(verb, method));
  }
}

function unaryMethods(service: DescService): DescMethodUnary[] {
  return service.methods.filter(
    (method): method is DescMethodUnary => method.methodKind === "unary",
  );
}

function clientCommand(verb: string, method: DescMethodUnary): Command {
  const command = new Command(verb).description(`${method.parent.typeName}/${method.name}`);
  addRequestFlags(command, method);
  command.option("--json", "print the answer as JSON");
  return command.action(async () => {
    const { json, ...flags } = command.opts<Record<string, unknown>>();
    const request = requestJson(method, command.args.slice(0, pathFields(method).length), flags);
    await show(() => call(method, request, process.env), json === true);
  });
}

async function show(answer: () => ReturnType<typeof call>, asJson: boolean): Promise<void> {
  try {
    const result = await answer();
    console.log(asJson ? JSON.stringify(result, undefined, 2) : readable(result));
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
