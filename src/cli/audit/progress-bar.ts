import { formatProgressBar, eraseLineSequence, startWaitIndicator } from "../tools/progress.ts";

/** Tells on standard error how far a long call is; `done` takes it away again where it can. */
export interface ProgressBar {
  readonly update: (count: number) => void;
  done(): void;
}

const width = 30;

/** A terminal gets one line that fills and goes away; anything else gets one line at the start. */
export function startProgressBar(
  what: string,
  total: number,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressBar {
  if (!stream.isTTY) return { ...startWaitIndicator(what, stream), update: () => undefined };
  const show = (count: number): void => {
    const share = total === 0 ? 1 : count / total;
    stream.write(
      `${eraseLineSequence}${formatProgressBar(share, width)} ${count} of ${total}  ${what}`,
    );
  };
  show(0);
  return { update: show, done: () => void stream.write(eraseLineSequence) };
}
