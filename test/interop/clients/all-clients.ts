import { claudeCode } from "./claude-code.ts";
import type { Client } from "./client.ts";
import { codex, codexOverWebSocket } from "./codex.ts";
import { aider } from "./aider.ts";
import { libraries } from "./libraries.ts";
import { openCode } from "./open-code.ts";
import { qwenCode } from "./qwen-code.ts";

/** Every client of the bench, as its table lists them. */
export const allClients: readonly Client[] = [
  codex,
  codexOverWebSocket,
  claudeCode,
  openCode,
  qwenCode,
  aider,
  ...libraries,
];
