import { describe, expect, it } from "vitest";
import { describeFile } from "./describe-file.ts";

describe("PHP", () => {
  const manifest = JSON.stringify(
    {
      require: { php: ">=8.2", "ext-json": "*", "acme/app": "^1.0", "acme/branch": "dev-main" },
      "require-dev": { "acme/tool": "2.0.5" },
    },
    undefined,
    1,
  );

  it("has in a composer.json what is not PHP itself", () => {
    expect(describeFile("composer.json", manifest)).toEqual({
      packages: ["5: acme/app (^1.0) direct production", "9: acme/tool 2.0.5 direct development"],
      unparsed: ["6: acme/branch dev-main: git: a branch"],
    });
  });

  it("has in a composer.lock who needs whom", () => {
    const lock = {
      packages: [
        { name: "acme/app", version: "1.2.0", require: { php: "*", "Acme/Deep": "^3" } },
        { name: "acme/branch", version: "dev-main" },
        { name: "acme/deep", version: "v3.0.1" },
      ],
      "packages-dev": [{ name: "acme/tool", version: "2.0.5" }],
    };
    const text = JSON.stringify(lock, undefined, 1);
    expect(describeFile("composer.lock", text, { "composer.json": manifest })).toEqual({
      packages: [
        "3: acme/app 1.2.0 direct production",
        "21: acme/tool 2.0.5 direct development",
        "15: acme/deep v3.0.1 transitive production [acme/app@1.2.0 > acme/deep@v3.0.1]",
      ],
      unparsed: ["11: acme/branch@dev-main: git: a branch"],
    });
  });
});
