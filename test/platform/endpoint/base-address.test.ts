import { describe, expect, it } from "vitest";
import { normalizeEndpointBaseUrl } from "../../../src/platform/endpoint/base-address.ts";

describe("toCallableAddress()", () => {
  it.each([
    ["https://api.example.com", "https://api.example.com/v1"],
    ["https://api.example.com/", "https://api.example.com/v1"],
    ["https://api.example.com/v1", "https://api.example.com/v1"],
    ["https://api.example.com/v1/", "https://api.example.com/v1"],
    ["https://api.example.com/openai/v2//", "https://api.example.com/openai/v2"],
    ["http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"],
  ])("[address.slash] dials %s at %s", (sent, dialled) => {
    expect(normalizeEndpointBaseUrl(sent).href).toBe(dialled);
  });
});
