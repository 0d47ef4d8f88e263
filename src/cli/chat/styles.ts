/** How a terminal shows what is not the answer itself. */
export interface TerminalTextStyles {
  /** Text that stands back. */
  dim(text: string): string;
  readonly hasColor: boolean;
}

/** Nothing but text where it is no terminal, where it cannot do more, and where `NO_COLOR` (no-color.org) says so. */
export function createTerminalStyles(
  stream: NodeJS.WriteStream,
  environment: NodeJS.ProcessEnv,
): TerminalTextStyles {
  const isPlain = environment["NO_COLOR"] || environment["TERM"] === "dumb";
  const hasColour = stream.isTTY && !isPlain;
  return {
    hasColor: hasColour,
    dim: (text) => (hasColour && text !== "" ? `\u001b[2m${text}\u001b[22m` : text),
  };
}
