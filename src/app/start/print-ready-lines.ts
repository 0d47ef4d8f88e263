import type { GeneratedOwnerCredentials } from "../../account/first-run.ts";
import { quoteShellWordIfNeeded } from "../../platform/shell-word.ts";
import type { HttpServiceName } from "../service-name.ts";

/** A service that is ready. */
export interface ReadyService {
  readonly name: HttpServiceName;
  readonly listeningUrl: string;
}

/**
 * Prints a line per service and, after the first start, how to make the first call. The key
 * itself is printed to a terminal alone: anything else may be a log, which others read and which
 * is stored longer than the key. Who reads the lines may leave before the last of them.
 */
export function printReadyLines(
  services: readonly ReadyService[],
  firstOwner: GeneratedOwnerCredentials | undefined,
): void {
  process.stdout.on("error", () => undefined);
  for (const { name, listeningUrl } of services) {
    process.stdout.write(`causeway ${name} ready ${listeningUrl}\n`);
  }
  const gateway = services.find(({ name }) => name === "gateway");
  if (firstOwner === undefined || gateway === undefined) return;
  const command = `cat ${quoteShellWordIfNeeded(firstOwner.file)}`;
  const token = process.stdout.isTTY ? firstOwner.key : `$(${command})`;
  process.stdout.write(
    `\nThe first caller key is in ${firstOwner.file}. Try it:\n` +
      `  curl ${gateway.listeningUrl}/v1/upstreams -H "authorization: Bearer ${token}"\n` +
      `Then register an endpoint; the documentation is at ${gateway.listeningUrl}/docs\n`,
  );
}
