import { domainToASCII } from "node:url";
import { invalidRequestError } from "../platform/errors.ts";

const maxAddressLength = 254;

/** An address in the three forms that matter. */
export interface ParsedEmailAddress {
  /** Trimmed and in NFC, otherwise as typed: for display. */
  readonly original: string;
  /** Lower case, the domain in IDNA ASCII: what addresses are compared by. */
  readonly normalized: string;
  /** Where mail goes: the local part as typed at the ASCII domain. */
  readonly mailbox: string;
}

/** White space, controls and what would make it a list, a display name or a quoted local part. */
const forbidden = /[\s\p{Cc}\p{Cf},;:<>()[\]\\"]/u;

/**
 * Reads one e-mail address. Throws 400 with `param` for anything else. Dots and
 * plus tags stay: folding them would merge different mailboxes.
 */
export function parseEmailAddress(text: string, param = "email"): ParsedEmailAddress {
  const typed = text.trim().normalize("NFC");
  const [local = "", domain = "", ...more] = typed.split("@");
  const asciiDomain = domainToASCII(domain);
  const isAddress =
    local !== "" && asciiDomain !== "" && more.length === 0 && !forbidden.test(typed);
  const normalised = `${local.toLowerCase().normalize("NFC")}@${asciiDomain}`;
  if (!isAddress || Math.max(typed.length, normalised.length) > maxAddressLength) {
    throw invalidRequestError(
      param,
      `\`${param}\` must be one e-mail address of at most ${maxAddressLength} characters.`,
    );
  }
  return { original: typed, normalized: normalised, mailbox: `${local}@${asciiDomain}` };
}

/** The domain that a normalised address belongs to. */
export function emailDomain(normalised: string): string {
  return normalised.slice(normalised.indexOf("@") + 1);
}
