import { ensureProgram } from "../../scripts/ensure-program.ts";
import { redisProgram } from "../../scripts/redis-server.ts";

/** Each test file starts a server of its own; here is seen to it that there is one to start. */
export default async function provideServer(): Promise<void> {
  await ensureProgram(redisProgram);
}
