import { trimTrailingCharacter } from "../platform/trim-character.ts";

/** Whether an address has a user or a password in front of its host. */
export function hasUserinfo({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

/** The address without user and password; a text that is no address as it is. */
export function removeUserinfo(text: string): string {
  const url = URL.parse(text);
  if (url === null || !hasUserinfo(url)) return text;
  url.username = "";
  url.password = "";
  return text.endsWith("/") ? url.href : trimTrailingCharacter(url.href, "/");
}
