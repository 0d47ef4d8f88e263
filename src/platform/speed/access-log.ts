import { pino, type DestinationStream } from "pino";

/**
 * Writes the one line per request. Its fields are all known and hold no secret, so it is
 * printed as it is. Speed: docs/performance.md, `access-log`.
 */
export interface AccessLog {
  /** `members`: the JSON members of the line, at least one, as they are to stand in it. */
  write(level: "info" | "warn", members: string): void;
}

/** Lines of the same form as the logger's with this least level and these members. */
export function createAccessLog(stream: DestinationStream, level: string, base: object): AccessLog {
  const least = level === "silent" ? Number.POSITIVE_INFINITY : (pino.levels.values[level] ?? 0);
  const time = createLogTimeFormatter();
  const head = `,${JSON.stringify(base).slice(1, -1)},`;
  return {
    write(lineLevel, members) {
      const value = pino.levels.values[lineLevel] ?? 0;
      if (value < least) return;
      stream.write(`{"level":${value}${time()}${head}${members},"msg":"request"}\n`);
    },
  };
}

/** The member `time` of a line, RFC 3339 in UTC; made once for all lines of a millisecond. */
export function createLogTimeFormatter(): () => string {
  let at = 0;
  let text = "";
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}
