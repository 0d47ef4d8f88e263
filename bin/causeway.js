#!/usr/bin/env -S MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=131072 node --min-semi-space-size=6 --max-semi-space-size=6 --no-maglev --no-sparkplug --expose-gc
// Plain JavaScript, so that an old Node can still read it and say what to do.
// What stands above weighs memory against speed, as measured here. V8's young generation
// is 18 MB: by default it grows to 96 MB and keeps them; with 12 MB a call costs up to 3 % more. Without
// its two compilers in the middle, whose code the last one soon replaces, 22 MB less stay behind. Without a heap
// of its own for each thread, of which nearly all work is the first's, glibc keeps 25 MB less; with a fixed
// threshold it goes on giving large pieces back after the first was freed. What `--expose-gc` is for,
// `give-back-memory.ts` says. Linux cuts the line off after 255 bytes: other flags are set below.
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
// A collection of the old generation begins when half of what it may grow by is used, not when less is left than
// a young one could fill, which was at once: a tenth of the time for 8 MB.
setFlagsFromString("--incremental-marking-soft-trigger=50");
setFlagsFromString("--incremental-marking-hard-trigger=80");
// Functions are put into their callers up to a greater size: 4 % of a call for 7 MB.
setFlagsFromString("--max-inlined-bytecode-size=1000");
setFlagsFromString("--max-inlined-bytecode-size-cumulative=2000");
const { enableCompileCache } = await import("node:module");
// Stripped and compiled sources are kept for the next start. Not in the shared temporary
// directory: whoever writes there would have code run here. Where it cannot be written, it is not used.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/causeway", import.meta.url)));
const { main } = await import("../src/main.ts");
await main(process.argv.slice(2));
