import type { MockUpstream, UpstreamKind } from "../upstream/mock-upstream.ts";
import { dialects, type DialectName } from "../wire/dialects.ts";

/** What an upstream is registered as, by what it is called for and the dialect it speaks. */
export function upstreamLabel(kind: UpstreamKind, dialect: DialectName): string {
  return `${kind} ${dialect}`;
}

/** Registers the mock upstream once per kind and dialect; gives the slugs by label. */
export async function registerUpstreams(
  upstream: MockUpstream,
  url: string,
  key: string,
): Promise<Map<string, string>> {
  const slugs = await registeredSlugs(url, key);
  for (const [kind, port] of Object.entries(upstream.ports)) {
    for (const dialect of Object.keys(dialects)) {
      const label = upstreamLabel(kind as UpstreamKind, dialect as DialectName);
      if (slugs.has(label)) continue;
      const base = `http://127.0.0.1:${port}/${kind}/v1`;
      slugs.set(label, await register(url, key, label, base, `dialect_${dialect}`));
    }
  }
  return slugs;
}

interface UpstreamRow {
  readonly slug: string;
  readonly label: string;
}

/** What an earlier start on the same directory registered. */
async function registeredSlugs(url: string, key: string): Promise<Map<string, string>> {
  const answer = await fetch(`${url}/v1/upstreams`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!answer.ok) throw new Error(`listing upstreams: ${answer.status} ${await answer.text()}`);
  const { data } = (await answer.json()) as { data: UpstreamRow[] };
  return new Map(data.map(({ label, slug }) => [label, slug]));
}

async function register(
  url: string,
  key: string,
  label: string,
  baseUrl: string,
  dialect: string,
): Promise<string> {
  const answer = await fetch(`${url}/v1/upstreams`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      label,
      base_url: baseUrl,
      api_key: "bench",
      dialect,
      models: ["mock"],
    }),
  });
  if (!answer.ok) throw new Error(`registering ${label}: ${answer.status} ${await answer.text()}`);
  const { upstream } = (await answer.json()) as { upstream: UpstreamRow };
  return upstream.slug;
}
