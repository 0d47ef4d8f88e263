/** Shown of a list of broken promises; many have one cause. */
const shownAtMost = 40;

/**
 * Runs a script that resolves with the promises that were not kept. The process
 * ends with 1 when there are any, or when the run itself failed.
 */
export async function reportAndExit(
  name: string,
  run: (say: (text: string) => void) => Promise<readonly string[]>,
): Promise<never> {
  // What was started ends with this process.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  try {
    const broken = await run((text) => console.log(text));
    for (const text of broken.slice(0, shownAtMost)) console.log(`Broken: ${text}`);
    console.log(
      `\n${name}: ${broken.length === 0 ? "every promise kept" : `${broken.length} promises broken`}`,
    );
    process.exit(broken.length === 0 ? 0 : 1);
  } catch (error) {
    console.error(
      `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    process.exit(1);
  }
}
