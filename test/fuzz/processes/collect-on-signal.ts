/** Loaded into a server under test: SIGUSR2 collects all its garbage, so that what is left can be measured. */
process.on("SIGUSR2", () => {
  globalThis.gc?.({ type: "major", flavor: "last-resort", execution: "sync" });
});
