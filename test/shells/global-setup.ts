import { provideProgram } from "../../scripts/provide-program.ts";

/** Sees to it that the shells are there which many machines lack. */
export default async function provideShells(): Promise<void> {
  for (const shell of ["zsh", "fish"]) {
    const missing = `These tests need the shell \`${shell}\` on the PATH: install the package \`${shell}\`.`;
    await provideProgram({ names: [shell], debianPackage: shell, missing });
  }
}
