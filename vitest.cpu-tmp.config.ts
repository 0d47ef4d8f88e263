import config from "./vitest.config.ts";
const c = config as any;
for (const p of c.test.projects) p.test.setupFiles = ["cpu-setup-tmp.ts", ...(p.test.setupFiles ?? [])];
export default c;
