import type { AgentSkill } from "../../../domain/agent-items.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { sanitizeToolText } from "./plain-text.ts";
import { UniqueToolNameAllocator } from "./unique-name.ts";
import { trimCharacter } from "../../../platform/trim-character.ts";

/** A skill under the name by which it is offered. */
export type OfferedSkill<Skill = AgentSkill> = Skill & { readonly slug: string };

/** What names and descriptions of skills have, in the Agent Skills format. */
const [longestSlug, longestDescription] = [64, 1024];

/** UTF-16 units of a name that are read for its slug. */
const maxReadUnits = 4 * longestSlug;

/** Skills under slugs of their names, unlike each other; one that is named so keeps its name. */
export function assignSkillSlugs<Skill extends Pick<AgentSkill, "name">>(
  skills: readonly Skill[],
): OfferedSkill<Skill>[] {
  const plain = skills.map(({ name }) => name).filter((name) => slugOf(name) === name);
  const slugs = new UniqueToolNameAllocator(plain, "-");
  const kept = new Set<string>();
  return skills.map((skill) => {
    const isFirst = slugs.has(skill.name) && !kept.has(skill.name);
    kept.add(skill.name);
    return { ...skill, slug: isFirst ? skill.name : slugs.create(slugOf(skill.name)) };
  });
}

/** What the model is told of them; undefined: there is none. */
export function formatSkillList(
  skills: readonly OfferedSkill[],
  toolName: string,
): string | undefined {
  if (skills.length === 0) return undefined;
  const lines = skills.map(
    ({ slug, description }) => `- ${slug}: ${sanitizeToolText(description, longestDescription)}`,
  );
  return [
    `Skills are instructions for certain tasks. When the description of one fits what you are asked, read it with the tool \`${toolName}\` before you begin. These there are:`,
    ...lines,
  ].join("\n");
}

/** The arguments of the tool that reads a skill. */
export function skillToolParameters(skills: readonly OfferedSkill[]): JsonObject {
  const names = skills.map(({ slug }) => slug);
  const name = { type: "string", enum: names, description: "Name of the skill." };
  return { type: "object", properties: { name }, required: ["name"], additionalProperties: false };
}

function slugOf(name: string): string {
  const words = name
    .slice(0, maxReadUnits)
    .normalize("NFKD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, longestSlug);
  return trimCharacter(words, "-") || "skill";
}
