import { ensureProgram } from "../../scripts/ensure-program.ts";

/** Sees to it that the shells are there which many machines lack. */
export default async function provideShells(): Promise<void> {
  for (const shell of ["zsh", "fish"]) {
    const missing = `These tests need the shell \`${shell}\` on the PATH: install the package \`${shell}\`.`;
    await ensureProgram({ names: [shell], debianPackage: shell, missing });
  }
}
