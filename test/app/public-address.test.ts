import { describe, expect, it } from "vitest";
import { ServicePublicUrl } from "../../src/app/start/public-address.ts";

describe("PublicAddress", () => {
  it("is where the service listens, once it does", () => {
    const address = new ServicePublicUrl(undefined);
    expect(() => address.url()).toThrow("does not listen yet");
    address.listening("http://127.0.0.1:8080");
    expect(address.url()).toBe("http://127.0.0.1:8080");
  });

  it("stays as configured", () => {
    const address = new ServicePublicUrl("https://causeway.example/gateway");
    expect(address.url()).toBe("https://causeway.example/gateway");
    address.listening("http://127.0.0.1:8080");
    expect(address.url()).toBe("https://causeway.example/gateway");
  });

  it("leads to the explanation of an error", () => {
    const address = new ServicePublicUrl("https://causeway.example");
    expect(address.docUrl("not_found")).toBe("https://causeway.example/docs/errors#not_found");
    expect(address.docUrl(undefined)).toBe("https://causeway.example/docs/errors");
  });
});
