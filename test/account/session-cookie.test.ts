import { expect, test } from "vitest";
import {
  serializeExpiredSessionCookie,
  serializeSessionCookie,
} from "../../src/account/session-cookie.ts";

test("the cookie is marked secure where the public URL is https", () => {
  expect(serializeSessionCookie("cws_x", "https://gateway.example.org")).toBe(
    "causeway_session=cws_x; Max-Age=34560000; Path=/; HttpOnly; Secure; SameSite=Lax",
  );
  expect(serializeSessionCookie("cws_x", "http://127.0.0.1:8080")).not.toContain("Secure");
});

test("clearing has the same attributes", () => {
  expect(serializeExpiredSessionCookie("http://127.0.0.1:8080")).toBe(
    "causeway_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
  );
});
