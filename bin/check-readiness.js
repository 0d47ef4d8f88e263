// Ends with 0 when the server of this container can take requests, else with 1.
const { CAUSEWAY_PORT, CAUSEWAY_TOOLS_PORT } = process.env;

/** Undefined where nobody listens: a container may serve the tools alone. */
async function askPort(port) {
  const url = `http://127.0.0.1:${port}/readyz`;
  try {
    return await fetch(url, { signal: AbortSignal.timeout(3000) });
  } catch (error) {
    if (error.cause?.code === "ECONNREFUSED") return undefined;
    throw error;
  }
}

const answer =
  (await askPort(CAUSEWAY_PORT || "8080")) ?? (await askPort(CAUSEWAY_TOOLS_PORT || "8081"));
process.exitCode = answer?.ok === true ? 0 : 1;
