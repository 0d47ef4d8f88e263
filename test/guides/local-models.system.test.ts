/** docs/local-models.md, in front of servers that answer as those that it names. */
import { expect, it, vi } from "vitest";
import { GuideReader } from "./guide-reader.ts";
import { localServers, startLocalServer } from "./local-model-server.ts";

vi.setConfig({ testTimeout: 240_000 });

it("registers and calls Ollama, vLLM, llama.cpp and LM Studio", async () => {
  const reader = await GuideReader.arrive({
    places: {
      "127.0.0.1:11434": await startLocalServer(localServers.ollama),
      "127.0.0.1:8000": await startLocalServer(localServers.vllm),
      "127.0.0.1:8082": await startLocalServer(localServers.llamaCpp),
      "127.0.0.1:1234": await startLocalServer(localServers.lmStudio),
    },
  });
  await reader.follow("local-models.md");
  await vi.waitFor(async () => {
    const used = await reader.type("npx causeway usage list --group-by model");
    for (const { model } of Object.values(localServers)) expect(used).toContain(`/${model} `);
  }, 30_000);
});
