import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../cli-error.ts";
import { assertTrustedFolder, readTrustedFile, restrictFileToOwner } from "../own-file.ts";
import { cliConfigurationDirectory } from "./configuration-directory.ts";
import { parseCliProfiles, serializeCliProfiles, type CliProfiles } from "./profile-file.ts";
import type { CliProfile } from "./profile.ts";

/** Of thousands of profiles. */
const maxFileBytes = 4 * 1024 * 1024;

const advice =
  "Its sessions and keys would go to the servers that it names. Move it away and sign in again: " +
  "npx causeway login";

/**
 * The profiles of the user, in `profiles.json` of the user's configuration
 * directory: the file is for its owner alone (0600), and so is the directory
 * (0700). A file that others may read gets that mode, with a warning. What cannot be read or
 * written, and what another user may have written, throws a `CliError` that names it.
 */
export class CliProfileStore {
  readonly path: string;
  readonly #directory: string;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#directory = cliConfigurationDirectory(environment);
    this.path = join(this.#directory, "profiles.json");
  }

  /** Without a file there is none. */
  read(): CliProfiles {
    const text = this.#text();
    if (text === undefined) return { byName: new Map() };
    const profiles = parseCliProfiles(text);
    if (profiles !== undefined) return profiles;
    throw new CliError(
      `${this.path}: is not what \`causeway login\` writes; move it away and sign in again`,
    );
  }

  /** Makes the directory and writes the file as it is, so that a session that is made then can be kept. */
  prepare(): void {
    const profiles = this.read();
    this.#orRefuse(() => {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      chmodSync(this.#directory, 0o700);
      this.#replace(serializeCliProfiles(profiles));
    });
  }

  /** Adds or replaces a profile; the first becomes the current one. */
  save(name: string, profile: CliProfile): void {
    const { current = name, byName } = this.read();
    this.#write({ current, byName: new Map([...byName, [name, profile]]) });
  }

  remove(name: string): void {
    const { current, byName } = this.read();
    const others = new Map([...byName].filter(([other]) => other !== name));
    this.#write({ ...(current !== undefined && current !== name && { current }), byName: others });
  }

  /** Makes a profile the one that is used when none is named. */
  use(name: string): void {
    this.#write({ ...this.read(), current: name });
  }

  #write(profiles: CliProfiles): void {
    this.#orRefuse(() => this.#replace(serializeCliProfiles(profiles)));
  }

  /** Whole or not at all, also for a command that reads it at this moment. */
  #replace(text: string): void {
    const temporary = `${this.path}.${randomUUID()}`;
    try {
      // A file that exists would keep its own mode.
      writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
      renameSync(temporary, this.path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  #text(): string | undefined {
    try {
      assertTrustedFolder(this.#directory, advice);
      const how = { maxBytes: maxFileBytes, followsLink: true, advice };
      const text = readTrustedFile(this.path, how) ?? "";
      restrictFileToOwner(this.path);
      return text;
    } catch (error) {
      if (error instanceof CliError) throw error;
      if (reasonOf(error) === "ENOENT") return undefined;
      throw this.#refusal("read", error);
    }
  }

  #orRefuse(write: () => void): void {
    try {
      write();
    } catch (error) {
      throw error instanceof CliError ? error : this.#refusal("written", error);
    }
  }

  #refusal(use: string, error: unknown): CliError {
    return new CliError(`${this.path}: cannot be ${use} (${reasonOf(error) ?? String(error)})`);
  }
}

function reasonOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
