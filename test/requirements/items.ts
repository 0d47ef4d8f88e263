import { tested, type Requirement } from "./requirement.ts";

/** Items of people and teams. */
export const items: readonly Requirement[] = tested([
  [
    "items.kinds",
    "Items are mcp `{url, headers?, tools?, approval?}`, rules `{text}`, skills `{name, description, text}`.",
    "team/item/items > makes an item of %j",
    "team/item/items > answers 400, names %s and saves nothing: %j",
    "team/item/items > limits the tools of an MCP server and their approval, and lets all of them again",
  ],
  ["items.policy", "share_policy decides who may pool.", "team/item/pools > answers %s with %d"],
  [
    "items.answers",
    "poolItem and unpoolItem answer the Item.",
    "team/item/pools > puts an item at the end of the pool, shows it",
    "team/item/pools > of an own item needs no rank",
  ],
  [
    "items.import-skill",
    "causeway items import makes a skills item of a SKILL.md, and updates it the next time.",
    "cli/items/import-command > makes a skill of a SKILL.md, and updates it the next time",
    "cli/items/import-command > takes the longest name and description that the format allows",
  ],
  [
    "items.import-skill-form",
    "Name at most 64 of [a-z0-9-], description at most 1024, as the Agent Skills format has it.",
    "cli/items/import-command > imports nothing at all beside a skill with %s",
  ],
  [
    "items.import-rules",
    "An AGENTS.md becomes a rules item.",
    "cli/items/import-command > makes rules of an AGENTS.md, called after its folder or as said",
  ],
]);
