import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import {
  listEffectiveAddresses,
  classifyIpAddress,
} from "../../../src/platform/dial/address-class.ts";

describe("classifyAddress()", () => {
  it.each([
    "1.1.1.1",
    "93.184.216.34",
    "2606:4700:4700::1111",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
    "2002:101:101::1",
  ])("takes %s for public", (address) => {
    expect(classify(address)).toBe("public");
  });

  it.each([
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "172.16.0.1",
    "192.168.1.1",
    "192.0.2.1",
    "198.18.0.1",
    "240.0.0.1",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:0:8.8.8.8",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::808:808",
    "2001:0:101:101::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd12::1",
    "fec0::1",
  ])("takes %s for restricted", (address) => {
    expect(classify(address)).toBe("restricted");
  });

  it.each([
    "0.0.0.0",
    "0.1.2.3",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.169.254",
    "169.254.170.2",
    "192.0.0.192",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "::a9fe:a9fe",
    "::ffff:169.254.169.254",
    "::ffff:0:169.254.169.254",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "2001:0:a9fe:a9fe::1",
    "2001:0:0808:0808::5601:5601",
  ])("takes %s for forbidden", (address) => {
    expect(classify(address)).toBe("forbidden");
  });
});

describe("effectiveAddresses()", () => {
  it("adds the IPv4 address that traffic really reaches", () => {
    expect(forms("127.0.0.1")).toEqual(["127.0.0.1"]);
    expect(forms("::ffff:127.0.0.1")).toEqual(["::ffff:7f00:1", "127.0.0.1"]);
    expect(forms("2002:7f00:1::1")).toEqual(["2002:7f00:1::1", "127.0.0.1"]);
    expect(forms("::7f00:1")).toEqual(["::7f00:1"]);
  });
});

function classify(address: string): string {
  return classifyIpAddress(ipaddr.parse(address));
}

function forms(address: string): string[] {
  return listEffectiveAddresses(ipaddr.parse(address)).map(String);
}
