import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as (options: object) => void;

/** Loaded into a server under test: SIGUSR2 collects all its garbage, so that what is left can be measured. */
process.on("SIGUSR2", () => {
  collectGarbage({ type: "major", flavor: "last-resort", execution: "sync" });
});
