import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CausewayProcess } from "./causeway-process.ts";
import { restClient, type RestCall } from "./rest-client.ts";
import { newDataDirectory, removeDataDirectory } from "./data-directory.ts";

/** The tools service alone, in a process of its own, with a database of its own. */
export interface ToolsProcess {
  /** `http://127.0.0.1:<port>` of the tools. */
  readonly url: string;
  readonly call: RestCall;
  /** Ends it and leaves nothing behind. */
  end(): Promise<void>;
}

/** Starts `causeway serve tools` with a configuration file. Call `end` in `afterAll`. */
export async function startToolsProcess(file: unknown): Promise<ToolsProcess> {
  const directory = await newDataDirectory();
  const path = join(directory, "causeway.json");
  await writeFile(path, JSON.stringify(file));
  const child = CausewayProcess.start(["serve", "tools"], {
    environment: {
      CAUSEWAY_CONFIG: path,
      CAUSEWAY_DATA_DIR: directory,
      CAUSEWAY_TOOLS_PORT: "0",
    },
  });
  const end = async () => {
    child.signalGroup("SIGKILL");
    await child.outcome;
    await removeDataDirectory(directory);
  };
  try {
    const [, url = ""] = await child.line(/^causeway tools ready (.+)$/);
    return { url, call: restClient(url), end };
  } catch (error) {
    await end();
    throw error;
  }
}
