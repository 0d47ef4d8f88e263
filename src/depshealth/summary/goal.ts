/** What a caller is about, as far as its own sentence tells. */
export type CallerTaskGoal = "choosing" | "upgrading" | "auditing" | "general";

/**
 * Words that give a goal away, in the order in which they are looked for:
 * whoever audits in order to upgrade wants to upgrade.
 */
const signs: readonly (readonly [goal: CallerTaskGoal, words: RegExp])[] = [
  [
    "upgrading",
    /\b(upgrad\w*|migrat\w*|moderni[sz]\w*|bump\w*|updat\w*|replac\w*|switch\w*|mov(e|ing) (off|away|from|to))\b/i,
  ],
  [
    "choosing",
    /\b(choos\w*|chose|pick\w*|select\w*|compar\w*|evaluat\w*|adopt\w*|introduc\w*|add(ing)?|consider\w*|which|should (i|we) use|start(ing)? (to use|using|with)|new (project|app|application|service|dependency|library))\b/i,
  ],
  [
    "auditing",
    /\b(audit\w*|review\w*|scan\w*|check\w*|complian\w*|secur\w*|vulnerab\w*|inventor\w*|assess\w*|report\w*|risk\w*|sbom|supply chain|verif\w*)\b/i,
  ],
];

/** The goal of a task context; `general` when no sign of another is in it. */
export function classifyCallerTaskGoal(taskContext: string): CallerTaskGoal {
  return signs.find(([, words]) => words.test(taskContext))?.[0] ?? "general";
}
