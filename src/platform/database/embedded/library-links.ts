import { lstat, readFile, symlink } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { z } from "zod";

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Makes the library symlinks that the package's install script would have made
 * (npm packages hold none), so that `npm ci --ignore-scripts` works. Links that
 * exist are left alone; several processes may do this at once.
 *
 * @param directory - the `native` directory that holds `pg-symlinks.json`
 * @throws where links are missing and the directory cannot be written
 */
export async function createPostgresLibrarySymlinks(directory: string): Promise<void> {
  const links = linksSchema.parse(
    JSON.parse(await readFile(join(directory, "pg-symlinks.json"), "utf8")),
  );
  for (const { source, target } of links) {
    // The list names paths from the package's root: `native/lib/libpq.so.5`.
    await makeLink(basename(source), join(directory, relative("native", target)));
  }
}

async function makeLink(source: string, target: string): Promise<void> {
  if (await exists(target)) return;
  try {
    await symlink(source, target);
  } catch (error) {
    // Another process was faster.
    if (!(await exists(target))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
