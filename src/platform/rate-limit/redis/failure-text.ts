/**
 * Why Redis does not serve, for the log. Of the server's own errors only the code
 * (`WRONGPASS`, `READONLY`, `OOM`): its text may repeat the command, and with it
 * the password of a sign-in that it did not understand.
 */
export function describeRedisError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [code] = /^[A-Z]{2,}(?= |$)/.exec(error.message) ?? [];
  if (code !== undefined) return `it answers ${code}`;
  // The failures of all addresses of a name come as one error without a message.
  const systemCode = "code" in error ? String(error.code) : "";
  return error.message || systemCode || error.name;
}
