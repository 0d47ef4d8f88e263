import { invalidRequestError } from "../platform/errors.ts";

/** Checks the address of a service; the address as it was sent. Throws 400. */
export function assertServiceBaseUrl(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === "";
  if (isPlain) return baseUrl;
  throw invalidRequestError(
    "base_url",
    "`base_url` must be an http or https address without user, query and fragment, `https://api.example.org/v1` for instance.",
  );
}
