import { abort } from "./abort.ts";
import type { Case } from "./case.ts";
import { latency } from "./latency.ts";
import { memory } from "./memory.ts";
import { large, small, smallMessages } from "./pass-through.ts";
import { start } from "./start.ts";
import { streams } from "./streams.ts";

/** Every case in the order they run; memory comes after all that send calls. */
export const allCases: readonly Case[] = [
  small,
  smallMessages,
  large,
  streams,
  latency,
  abort,
  memory,
  start,
];
