import { isIP } from "node:net";
import type { DescMethod } from "@bufbuild/protobuf";
import { DepshealthService } from "../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { CliError } from "./cli-error.ts";
import type { CliProfileContext } from "./cli-context.ts";
import { defaultCliIdleTimeoutSeconds, cliSlowResponseIdleTimeoutSeconds } from "./silence.ts";
import { hasUserinfo } from "./userinfo.ts";
import { trimTrailingCharacter } from "../platform/trim-character.ts";

/** A service of the server, and how the environment and a profile say where it is. */
export interface CliServiceUrlConfig {
  readonly variable: "CAUSEWAY_URL" | "CAUSEWAY_TOOLS_URL";
  readonly member: "url" | "toolsUrl";
  readonly default: string;
  /** Seconds without a byte after which a call of its methods is given up. */
  readonly silentSeconds: number;
}

export const cliGatewayUrlConfig: CliServiceUrlConfig = {
  variable: "CAUSEWAY_URL",
  member: "url",
  default: "http://127.0.0.1:8080",
  silentSeconds: defaultCliIdleTimeoutSeconds,
};
export const cliToolsServiceUrlConfig: CliServiceUrlConfig = {
  variable: "CAUSEWAY_TOOLS_URL",
  member: "toolsUrl",
  default: "http://127.0.0.1:8081",
  silentSeconds: cliSlowResponseIdleTimeoutSeconds,
};

/** The service that serves a method. */
export function selectServiceUrlConfigByMethod({ parent }: DescMethod): CliServiceUrlConfig {
  return parent.typeName === DepshealthService.typeName
    ? cliToolsServiceUrlConfig
    : cliGatewayUrlConfig;
}

/** Where a service is: its variable, else the profile, else its default address. Throws a `CliError` for what is no address, or has a user or a password. */
export function resolveCliServiceUrl(
  { variable, member, default: usual }: CliServiceUrlConfig,
  { environment, profile }: CliProfileContext,
): URL {
  const text = environment[variable] || profile?.[member] || usual;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // Before an `@` may stand a password.
    const instead = text.includes("@") ? "" : `, not "${text}"`;
    throw new CliError(`${variable}: must be an http or https address such as ${usual}${instead}`);
  }
  if (hasUserinfo(url)) {
    throw new CliError(
      `${variable}: must have no user and no password in front of the host.\n` +
        "Set CAUSEWAY_KEY to a caller key, or sign in with npx causeway login.",
    );
  }
  return url;
}

/** An address as it is kept, shown and compared: without a slash at its end. */
export function formatUrlWithoutTrailingSlash({ href }: URL): string {
  return trimTrailingCharacter(href, "/");
}

/** Whether the address is this machine's own, so that what lies in its files may be sent there. */
export function isLoopbackUrl({ hostname }: URL): boolean {
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
