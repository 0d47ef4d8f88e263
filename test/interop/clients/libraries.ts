import { dialects } from "../strict-environment.ts";
import type { ProgramClient } from "./client.ts";

/** Libraries, each with its program in `programs/`. */
export const libraries: readonly ProgramClient[] = [
  {
    kind: "program",
    name: "AI SDK 6",
    packages: { manager: "npm", names: ["ai@6", "@ai-sdk/openai@3", "@ai-sdk/anthropic@3"] },
    speaks: dialects,
    program: "ai-sdk.mjs",
    proof: "file and result",
  },
  {
    kind: "program",
    name: "AI SDK 7",
    packages: { manager: "npm", names: ["ai@7", "@ai-sdk/openai@4", "@ai-sdk/anthropic@4"] },
    speaks: dialects,
    program: "ai-sdk.mjs",
    proof: "file and result",
  },
  {
    kind: "program",
    name: "LangChain (TypeScript)",
    packages: {
      manager: "npm",
      names: ["langchain", "@langchain/core", "@langchain/openai", "@langchain/anthropic"],
    },
    speaks: dialects,
    program: "langchain.mjs",
    proof: "file and result",
  },
  {
    kind: "program",
    name: "OpenAI Agents (TypeScript)",
    packages: { manager: "npm", names: ["@openai/agents", "openai", "zod"] },
    speaks: ["chat", "responses"],
    program: "openai-agents.mjs",
    proof: "file and result",
  },
  {
    kind: "program",
    name: "official SDKs (TypeScript)",
    packages: { manager: "npm", names: ["openai", "@anthropic-ai/sdk"] },
    speaks: dialects,
    program: "official-typescript.mjs",
    proof: "file and result",
  },
  {
    kind: "program",
    name: "official SDKs (Python)",
    packages: { manager: "pip", names: ["openai", "anthropic"] },
    speaks: dialects,
    program: "official_python.py",
    proof: "file and result",
  },
  {
    kind: "program",
    name: "LiteLLM",
    // It imports mcp without asking for it.
    packages: { manager: "pip", names: ["litellm", "mcp"] },
    speaks: dialects,
    program: "litellm_client.py",
    proof: "file and result",
  },
  {
    kind: "program",
    name: "pydantic-ai",
    packages: { manager: "pip", names: ["pydantic-ai-slim[openai,anthropic]"] },
    speaks: dialects,
    program: "pydantic_ai_client.py",
    proof: "file and result",
  },
  {
    kind: "program",
    name: "smolagents",
    packages: { manager: "pip", names: ["smolagents[openai]"] },
    speaks: ["chat"],
    program: "smolagents_client.py",
    proof: "file and result",
  },
  {
    kind: "program",
    name: "instructor",
    packages: { manager: "pip", names: ["instructor[anthropic]"] },
    speaks: dialects,
    program: "instructor_client.py",
    proof: "words",
  },
];
