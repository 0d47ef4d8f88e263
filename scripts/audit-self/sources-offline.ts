import { z } from "zod";

const healthSchema = z.object({
  evidence: z.array(z.object({ source: z.string(), ok: z.boolean(), error: z.string().nullish() })),
});

/** A package that is certainly there. */
const probed = { ecosystem: "npm", name: "zod", task_context: "Auditing Causeway itself" };

/** What cannot be asked, and why; undefined: it answers. */
export interface OfflineSources {
  /** Without it an audit says nothing. */
  readonly registry: string | undefined;
  /** Without them it says what the registry does: what is deprecated, gone, or not looked after. */
  readonly advisories: string | undefined;
}

/** Asks about one package, before hundreds are asked for: which sources did not answer. */
export async function offlineSources(toolsUrl: string): Promise<OfflineSources> {
  const answer = await fetch(`${toolsUrl}/tools/package_health`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(probed),
  });
  if (!answer.ok) throw new Error(`package_health: ${answer.status} ${await answer.text()}`);
  const { evidence } = healthSchema.parse(await answer.json());
  const failureOf = (name: string): string | undefined => {
    const failed = evidence.find(({ source, ok }) => !ok && source === name);
    return failed && `${name} (${failed.error ?? "no answer"})`;
  };
  return { registry: failureOf("npm"), advisories: failureOf("osv") };
}
