import { abort } from "./abort.ts";
import type { Case } from "./case.ts";
import { latency } from "./latency.ts";
import { memory } from "./memory.ts";
import { large, small, smallMessages, smallPaid } from "./pass-through.ts";
import { start } from "./start.ts";
import { streams } from "./streams.ts";
import { transcoded, transcodedMessages, transcodedStreams } from "./transcoded.ts";

/** Every case in the order they run; memory comes after all that send calls. */
export const allCases: readonly Case[] = [
  small,
  smallPaid,
  smallMessages,
  large,
  transcoded,
  transcodedMessages,
  streams,
  transcodedStreams,
  latency,
  abort,
  memory,
  start,
];
