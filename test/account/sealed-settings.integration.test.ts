import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { platformSealedColumns, rewrapSealedColumns } from "../../src/domain/rewrap.ts";
import { checkMasterKey, readOrCreateSealedSetting } from "../../src/account/sealed-settings.ts";
import { SealedSettingEntity } from "../../src/account/sealed-setting.entity.ts";
import { loadTokenHasher } from "../../src/account/token-hasher.ts";
import { ConfigurationError } from "../../src/platform/configuration/configuration-error.ts";
import { SecretBox } from "../../src/platform/crypto/secret-box.ts";
import { useAccountFixture } from "./account-fixture.ts";

const fixture = useAccountFixture();
const { fork, clock } = fixture;
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const oldBox = new SecretBox([oldKey]);

function sealedRow(_value: unknown, index: number) {
  const name = `many_${index.toString().padStart(5, "0")}`;
  const binding = { table: "sealed_settings", row: name, column: "value" };
  const value = oldBox.seal(`value ${index.toString()}`, binding);
  return { name, value, createdAt: new Date() };
}

describe("sealed settings", () => {
  test("processes that make a setting at once agree on one value", async () => {
    const values = await Promise.all(
      Array.from({ length: 6 }, (_value, index) =>
        readOrCreateSealedSetting(
          fork(),
          oldBox,
          "agreed",
          () => `value ${index.toString()}`,
          clock,
        ),
      ),
    );
    expect(new Set(values).size).toBe(1);
  });

  test("the pepper survives a restart and is stored sealed", async () => {
    const [first, second] = [
      await loadTokenHasher(fork(), oldBox, clock),
      await loadTokenHasher(fork(), oldBox, clock),
    ];
    expect(second.hash("token")).toEqual(first.hash("token"));
    const stored = await fork().findOneOrFail(SealedSettingEntity, { name: "pepper_1" });
    expect(stored.value).toMatch(/^v1\./);
    expect(stored.createdAt).toEqual(new Date(clock.now()));
  });

  test("[environment.secret-keys] a wrong master key is a configuration error, an added one is not", async () => {
    await checkMasterKey(fork(), oldBox, clock);
    const wrong = checkMasterKey(fork(), new SecretBox([newKey]), clock);
    await expect(wrong).rejects.toThrow(ConfigurationError);
    await expect(wrong).rejects.toThrow(/^CAUSEWAY_SECRET_KEY: /);
    await checkMasterKey(fork(), new SecretBox([newKey, oldKey]), clock);
  });
});

describe("rewrapSealedColumns()", () => {
  const bothBox = new SecretBox([newKey, oldKey]);
  const total = 1203;

  test("[environment.rewrap] moves everything to the first key, once, and nothing is lost", async () => {
    await fork().insertMany(SealedSettingEntity, Array.from({ length: total }, sealedRow));
    const hasher = await loadTokenHasher(fork(), oldBox, clock);
    const columns = platformSealedColumns;
    const [first] = await rewrapSealedColumns(fork(), bothBox, columns);
    expect(first).toMatchObject({ table: "sealed_settings", column: "value" });
    expect(first?.moved).toBe(first?.seen);
    expect(first?.moved).toBeGreaterThan(total);
    const [again] = await rewrapSealedColumns(fork(), bothBox, columns);
    expect(again).toMatchObject({ seen: first?.seen, moved: 0 });
    const newBox = new SecretBox([newKey]);
    await checkMasterKey(fork(), newBox, clock);
    expect((await loadTokenHasher(fork(), newBox, clock)).hash("token")).toEqual(
      hasher.hash("token"),
    );
    expect(await readOrCreateSealedSetting(fork(), newBox, "many_00777", () => "lost", clock)).toBe(
      "value 777",
    );
  });
});
