#!/usr/bin/env -S MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=131072 node --min-semi-space-size=6 --max-semi-space-size=6 --no-maglev --no-sparkplug --expose-gc
// Plain JavaScript, so that an old Node can still read it and say what to do.
// The flags above and below: docs/performance.md. Linux cuts the first line off after 255 bytes.
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
const { setFlagsFromString } = await import("node:v8");
setFlagsFromString("--incremental-marking-soft-trigger=50");
setFlagsFromString("--incremental-marking-hard-trigger=80");
setFlagsFromString("--max-inlined-bytecode-size=1000");
setFlagsFromString("--max-inlined-bytecode-size-cumulative=2000");
const { enableCompileCache } = await import("node:module");
// Stripped and compiled sources are kept for the next start. Not in the shared temporary
// directory: whoever writes there would have code run here. Where it cannot be written, it is not used.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/causeway", import.meta.url)));
const { existsSync } = await import("node:fs");
// A clone runs its sources. A package has what was compiled of them (scripts/build-package.ts).
const isClone = existsSync(new URL("../src/main.ts", import.meta.url));
const { main } = await import(isClone ? "../src/main.ts" : "../dist/src/main.js");
await main(process.argv.slice(2));
