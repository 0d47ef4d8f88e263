import { tested, type Requirement } from "./requirement.ts";

/** Contract section 8: items that the command line makes of files. */
export const contractItemFiles: readonly Requirement[] = tested("contract 8, items import", [
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
