import { findProgram } from "../ensure-program.ts";
import { readTool } from "../run-tool.ts";
import { MissingToolchainError, isVersionAtLeast } from "./missing-toolchain.ts";

/** What the plugins and the libraries of the generated code need. */
const leastVersion = "1.26";

const whatToDo = `install Go ${leastVersion} or newer (https://go.dev/doc/install) and put \`go\` on the PATH.`;

/** Path of `go`. Throws `MissingToolchainError`. */
export async function requireGo(): Promise<string> {
  const program = { names: ["go"], missing: `gen/go needs Go: ${whatToDo}` };
  const path = await findProgram(program).catch((error: unknown) => {
    throw new MissingToolchainError(program.missing, { cause: error });
  });
  // `go version go1.26.8 linux/amd64`
  const version = /\bgo(\d+(?:\.\d+)*)/.exec(await readTool(path, ["version"]))?.[1] ?? "0";
  if (isVersionAtLeast(version, leastVersion)) return path;
  throw new MissingToolchainError(`gen/go needs a newer Go than ${version}: ${whatToDo}`);
}
