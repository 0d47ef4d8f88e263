import { z } from "zod";

const healthSchema = z.object({
  evidence: z.array(z.object({ source: z.string(), ok: z.boolean(), error: z.string().nullish() })),
});

/** A package that is certainly there. */
const probed = { ecosystem: "npm", name: "zod", task_context: "Auditing Causeway itself" };

/** Without the registry and the advisories an audit says nothing; the others fill gaps. */
const needed = new Set(["npm", "osv"]);

/** Asks about one package, before hundreds are asked for: which needed sources did not answer. */
export async function sourcesAway(toolsUrl: string): Promise<string[]> {
  const answer = await fetch(`${toolsUrl}/tools/package_health`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(probed),
  });
  if (!answer.ok) throw new Error(`package_health: ${answer.status} ${await answer.text()}`);
  const { evidence } = healthSchema.parse(await answer.json());
  const failed = evidence.filter(({ source, ok }) => !ok && needed.has(source));
  return [...new Set(failed.map(({ source, error }) => `${source} (${error ?? "no answer"})`))];
}
