import { defineConfig, type OxlintOverride } from "oxlint";
import { forbiddenFolders, isFolder, importRules } from "./scripts/import-rules.ts";

/** Folders stand at most so deep within a folder of `src`. */
const deepest = 4;

/** Keeps the files of a folder from importing what the table does not give them. */
function fenceAround(folder: string): OxlintOverride[] {
  const forbidden = forbiddenFolders(folder).join("|");
  const message = `src/${folder} may not import this folder; scripts/import-rules.ts says who may import whom. Pass it in from src/app.`;
  // By depth: a folder of a folder may have the name of another.
  return Array.from({ length: deepest + 1 }, (_, depth) => ({
    files: [`src/${folder}/${"*/".repeat(depth)}*`],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: [{ regex: `^(?:\\.\\./){${depth + 1}}(?:${forbidden})/`, message }] },
      ],
    },
  }));
}

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "node", "promise", "vitest"],
  categories: {
    correctness: "error",
    suspicious: "error",
    perf: "warn",
  },
  ignorePatterns: ["gen/**", ".proto/**", "node_modules/**"],
  rules: {
    "import/no-cycle": [
      "error",
      {
        ignoreTypes: false,
      },
    ],
    "import/no-unassigned-import": "off",
    "no-await-in-loop": "off",
    "no-console": "error",
    eqeqeq: "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-unsafe-type-assertion": "off",
    "no-shadow": "off",
    "unicorn/filename-case": [
      "error",
      {
        case: "kebabCase",
      },
    ],
    "max-lines": [
      "error",
      {
        max: 400,
        skipBlankLines: true,
        skipComments: true,
      },
    ],
    "import/no-named-as-default-member": "off",
    "typescript/consistent-return": "off",
    // Messages go to threads, which have no origin.
    "unicorn/require-post-message-target-origin": "off",
  },
  overrides: [
    {
      files: ["test/**"],
      rules: {
        "vitest/expect-expect": [
          "error",
          {
            assertFunctionNames: ["expect", "expect*", "assert*"],
          },
        ],
        "vitest/no-conditional-expect": "off",
        "unicorn/consistent-function-scoping": "off",
      },
    },
    {
      files: [
        "src/cli/output.ts",
        "scripts/**",
        "test/bench/**",
        "test/depshealth/databases/main.ts",
        "test/fuzz/main.ts",
        "test/fuzz/growth/main.ts",
        "test/mutants/main.ts",
        "test/interop/*/main.ts",
        "test/soak/report/report-and-exit.ts",
      ],
      rules: {
        "no-console": "off",
      },
    },
    ...Object.keys(importRules).filter(isFolder).flatMap(fenceAround),
  ],
});
