#!/usr/bin/env node
// Plain JavaScript, so that an old Node can still read it and say what to do.
import { fileURLToPath } from "node:url";

const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 24) {
  process.stderr.write(
    `causeway: needs Node 24 or newer, this is ${process.versions.node}. ` +
      "On Linux x64 and arm64 `npm ci` installs one beside it (run `npm start` or `npx causeway`); " +
      "elsewhere install Node 24.\n",
  );
  process.exit(1);
}
const { enableCompileCache } = await import("node:module");
// Stripped and compiled sources are kept for the next start. Not in the shared temporary
// directory: whoever writes there would have code run here. Where it cannot be written, it is not used.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/causeway", import.meta.url)));
const { main } = await import("../src/main.ts");
await main(process.argv.slice(2));
