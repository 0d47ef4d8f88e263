/** Tells on standard error how far a long call is; `done` takes it away again where it can. */
export interface ProgressBar {
  readonly at: (count: number) => void;
  done(): void;
}

const width = 30;

/** A terminal gets one line that fills and goes away; anything else gets one line at the start. */
export function startProgressBar(
  what: string,
  total: number,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressBar {
  if (!stream.isTTY) {
    stream.write(`${what} …\n`);
    return { at: () => undefined, done: () => undefined };
  }
  const show = (count: number) => {
    const filled = total === 0 ? width : Math.floor((count / total) * width);
    const bar = `${"#".repeat(filled)}${"-".repeat(width - filled)}`;
    stream.write(`\r\u001b[K[${bar}] ${count.toString()} of ${total.toString()}  ${what}`);
  };
  show(0);
  return { at: show, done: () => void stream.write("\r\u001b[K") };
}
