#!/usr/bin/env -S node --max-semi-space-size=4
// Plain JavaScript, so that an old Node can still read it and say what to do.
// The flag above (and in `npm start`) keeps V8's young generation at 12 MB: by default it grows to
// 96 MB and keeps them, which is more than everything else together and buys no speed here.
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
