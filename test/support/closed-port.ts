import { createServer } from "node:net";

/** Below the ports that systems give to whoever asks for any, so that nobody gets one of these. */
const [first, count] = [20_000, 10_000];

/** A port of 127.0.0.1 that nothing listens on. */
export async function closedPort(): Promise<number> {
  const port = first + Math.floor(Math.random() * count);
  return (await isFree(port)) ? port : closedPort();
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
