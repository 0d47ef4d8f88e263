import { formatProgressBar, eraseLineSequence, startWaitIndicator } from "../tools/progress.ts";

/** Shows how much of a file was learned from; `done` takes it away again where it can. */
export interface HarLearningProgressDisplay {
  show(bytes: number, entries: number): void;
  done(): void;
}

const barWidth = 24;

/**
 * A terminal gets a bar, or, where the size of the file is not known, what was read so
 * far; anything else gets one line.
 */
export function startHarLearningProgressDisplay(
  name: string,
  size: number | undefined,
  stream: NodeJS.WriteStream = process.stderr,
): HarLearningProgressDisplay {
  const what = `learning from ${name}`;
  if (!stream.isTTY) return { ...startWaitIndicator(what, stream), show: () => undefined };
  const show = (bytes: number, entries: number): void => {
    const parts = [what, ...barOf(bytes, size), `${entries} requests`];
    stream.write(`${eraseLineSequence}${parts.join("  ")}`);
  };
  show(0, 0);
  return { show, done: () => void stream.write(eraseLineSequence) };
}

function barOf(bytes: number, size: number | undefined): string[] {
  if (size === undefined) return [megabytes(bytes)];
  const share = size === 0 ? 1 : Math.min(1, bytes / size);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return [
    `${formatProgressBar(share, barWidth)} ${percent}`,
    `${megabytes(bytes)} of ${megabytes(size)}`,
  ];
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
