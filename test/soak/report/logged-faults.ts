interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly err?: { readonly message: string; readonly stack: string };
}

const errorLevel = 50;

/** What the log says, at error level, of a database that is away. */
const databaseAway = /^The database cannot be reached/;

/** Lines of a log that tell of a fault of the server, each kind once with the place that it came from. */
export function loggedFaults(log: string): string[] {
  const lines = log.split("\n").filter((line) => line.startsWith("{") && line.endsWith("}"));
  const faults = lines
    .map((line) => JSON.parse(line) as LogLine)
    .filter(({ level, msg }) => level >= errorLevel && !databaseAway.test(msg));
  const kinds = Map.groupBy(faults, describeFault);
  return [...kinds].map(([kind, same]) => `logged as an error, ${same.length} times: ${kind}`);
}

/** The first frame of ours says more than those above it. */
function describeFault({ msg, err }: LogLine): string {
  if (err === undefined) return msg;
  const frames = err.stack.split("\n").filter((line) => line.startsWith("    at "));
  const place = frames.find((frame) => frame.includes("/src/")) ?? frames[0] ?? "";
  return `${msg}: ${err.message} ${place.trim()}`;
}
