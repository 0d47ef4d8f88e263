import type { FirstOwner } from "../../account/first-start.ts";
import type { ServiceName } from "../service-name.ts";

/** A service that is ready. */
export interface ReadyService {
  readonly name: ServiceName;
  readonly listeningUrl: string;
}

/**
 * Prints a line per service and, after the first start, how to make the first call. Who
 * reads the lines may leave before the last of them.
 */
export function announce(
  services: readonly ReadyService[],
  firstOwner: FirstOwner | undefined,
): void {
  process.stdout.on("error", () => undefined);
  for (const { name, listeningUrl } of services) {
    process.stdout.write(`causeway ${name} ready ${listeningUrl}\n`);
  }
  const gateway = services.find(({ name }) => name === "gateway");
  if (firstOwner === undefined || gateway === undefined) return;
  process.stdout.write(
    `\nThe first caller key is in ${firstOwner.file}. Try it:\n` +
      `  curl ${gateway.listeningUrl}/v1/upstreams -H "authorization: Bearer ${firstOwner.key}"\n` +
      `Then register an endpoint; the documentation is at ${gateway.listeningUrl}/docs\n`,
  );
}
