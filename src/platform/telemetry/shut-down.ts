/** How long the last spans and metrics may take on their way out. */
const closeMs = 5000;

/** Sends what is left. A collector that is away must not keep the process from ending. */
export async function shutDown(provider: { shutdown(): Promise<void> }): Promise<void> {
  const timeUp = new Promise<void>((resolve) => setTimeout(resolve, closeMs).unref());
  await Promise.race([provider.shutdown().catch(() => undefined), timeUp]);
}
