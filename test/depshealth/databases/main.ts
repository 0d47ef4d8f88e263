/**
 * `npm run databases -- <folder>`: reads the checkouts of advisory databases that
 * lie in the folder (RustSec's advisory-db, PyPA's advisory-database, Go's vulndb)
 * and looks for every advisory in what we answer, and for every successor that a
 * notice names. Ends with 1 where one is lost or wrong.
 */
import { foldDatabase } from "./dropped-ids.ts";
import { readDatabases } from "./read-databases.ts";
import { readSuccessors } from "./replacements.ts";

const [folder] = process.argv.slice(2);

if (folder === undefined) {
  console.error("Say where the databases lie: npm run databases -- <folder>");
  process.exit(2);
}

const databases = readDatabases(folder);
for (const database of databases) {
  const { lost, ...numbers } = await foldDatabase(database);
  console.log({ ...numbers, lost: lost.length });
  for (const line of lost) console.log(`lost: ${line}`);
  if (lost.length > 0) process.exitCode = 1;
}

const rustsec = databases.find(({ ecosystem }) => ecosystem === "cargo");
if (rustsec !== undefined) {
  const { missed, wrong, unread, ...numbers } = readSuccessors(rustsec.documents);
  const counts = { missed: missed.length, wrong: wrong.length, unread: unread.length };
  console.log({ ...numbers, ...counts });
  const lines = { missed, wrong, unread };
  for (const [what, rows] of Object.entries(lines)) {
    for (const row of rows) console.log(`${what}: ${row}`);
  }
  if (wrong.length > 0) process.exitCode = 1;
}
