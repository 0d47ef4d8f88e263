export interface UserAgentOptions {
  readonly version: string;
  /** Address at which the service is reached; undefined: not told. */
  readonly publicUrl: string | undefined;
  /** Sender of our mail, `Name <address>` or an address; undefined: none. */
  readonly mailFrom: string | undefined;
}

/** The account that an installation has before anybody said who runs it. */
const nobodyYet = "owner@localhost";

/**
 * Names the product and whom to turn to, as those who run public sources ask
 * of everybody: the service's address, else that of its mail.
 */
export function buildDataSourceUserAgent({
  version,
  publicUrl,
  mailFrom,
}: UserAgentOptions): string {
  const words = (mailFrom ?? "").split(/[\s<>()]+/);
  const address = words.find((word) => /^[^@]+@[^@]+$/.test(word)) ?? nobodyYet;
  const contact = (publicUrl ?? `mailto:${address}`).replaceAll(/[^\x21-\x7e]/g, "");
  return `causeway/${version} (dependency health; +${contact})`;
}
