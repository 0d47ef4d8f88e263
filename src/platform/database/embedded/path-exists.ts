import { stat } from "node:fs/promises";

/** Whether there is anything at the path that this process may see, symlinks followed. */
export async function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
