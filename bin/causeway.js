#!/usr/bin/env node
// Plain JavaScript, so that an old Node can still read it and say what to do.
const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 24) {
  process.stderr.write(
    `causeway: needs Node 24 or newer, this is ${process.versions.node}. ` +
      "On Linux x64 and arm64 `npm ci` installs one beside it (run `npm start` or `npx causeway`); " +
      "elsewhere install Node 24.\n",
  );
  process.exit(1);
}
const { main } = await import("../src/main.ts");
await main(process.argv.slice(2));
