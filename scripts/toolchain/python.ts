import { createHash } from "node:crypto";
import { access, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { findProgram } from "../ensure-program.ts";
import { readTool, repository, runTool } from "../run-tool.ts";
import { MissingToolchainError, isVersionAtLeast } from "./missing-toolchain.ts";

/** A Python with the packages of `gen/python/requirements.txt`. */
export interface PythonEnvironment {
  /** The interpreter. */
  readonly python: string;
  /** Folder of the interpreter and of the programs that the packages bring. */
  readonly binaries: string;
}

/** What the libraries of the generated code need. */
const leastVersion = "3.11";

const requirements = join(repository, "gen/python/requirements.txt");

const whatToDo =
  `install Python ${leastVersion} or newer with its module venv and put \`python3\` on the PATH ` +
  "(Debian and Ubuntu: apt-get install python3-venv; Fedora: dnf install python3; macOS: brew install python3).";

/**
 * A virtual environment with exactly the pinned packages. It is made once for each list
 * of them and kept in the user's cache (XDG Base Directory Specification). Throws
 * `MissingToolchainError`.
 */
export async function ensurePython(): Promise<PythonEnvironment> {
  const python = await requirePython();
  const folder = join(cacheFolder(), `python-${await fingerprint(python)}`);
  const whole = join(folder, "is-whole");
  const isWhole = await access(whole).then(
    () => true,
    () => false,
  );
  if (!isWhole) {
    await makeEnvironment(python, folder);
    await writeFile(whole, "");
  }
  const binaries = join(folder, "bin");
  return { python: join(binaries, "python"), binaries };
}

async function requirePython(): Promise<string> {
  const program = { names: ["python3"], missing: `gen/python needs Python: ${whatToDo}` };
  const path = await findProgram(program).catch((error: unknown) => {
    throw new MissingToolchainError(program.missing, { cause: error });
  });
  const version = (await readTool(path, ["--version"])).replace("Python ", "");
  if (isVersionAtLeast(version, leastVersion)) return path;
  throw new MissingToolchainError(`gen/python needs a newer Python than ${version}: ${whatToDo}`);
}

/** An environment belongs to one interpreter and one list of packages. */
async function fingerprint(python: string): Promise<string> {
  const version = await readTool(python, ["-VV"]);
  const hash = createHash("sha256").update(python).update(version);
  return hash
    .update(await readFile(requirements))
    .digest("hex")
    .slice(0, 16);
}

function cacheFolder(): string {
  const { XDG_CACHE_HOME: chosen = "" } = process.env;
  return join(isAbsolute(chosen) ? chosen : join(homedir(), ".cache"), "causeway");
}

async function makeEnvironment(python: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await runTool(python, ["-m", "venv", folder]).catch((error: unknown) => {
    throw new MissingToolchainError(`gen/python needs Python's module venv: ${whatToDo}`, {
      cause: error,
    });
  });
  const options = ["--quiet", "--disable-pip-version-check", "--requirement", requirements];
  await runTool(join(folder, "bin/python"), ["-m", "pip", "install", ...options]);
}
