import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddressRule, permitsFor } from "./address-rule.ts";

const NOT_PUBLIC = [
  ..."0.0.0.0 0.255.255.255 10.0.0.1 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.255".split(" "),
  ..."168.63.129.16 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.31.196.1".split(
    " ",
  ),
  ..."192.52.193.1 192.88.99.1 192.168.0.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1".split(" "),
  ..."224.0.0.1 240.0.0.1 255.255.255.255".split(" "),
  ...":: ::1 ::7f00:1 ::a9fe:a9fe ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:a00:1 ::ffff:0:7f00:1 64:ff9b::7f00:1".split(
    " ",
  ),
  ..."64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 2001:2::1 2001:3::1 2001:10::1 2001:20::1 2001:30::1 2001:db8::1".split(
    " ",
  ),
  ..."2002:7f00:1:: 2620:4f:8000::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fe80::a9fe:a9fe".split(
    " ",
  ),
  ..."fe80::1%lo fec0::1 ff02::1 4000::1 1::1".split(" "),
];
const PUBLIC = [
  ..."1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 168.63.129.15".split(
    " ",
  ),
  ..."169.253.255.255 169.255.0.1 172.15.0.1 172.32.0.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1 223.255.255.255".split(
    " ",
  ),
  ..."2001:200::1 2003::1 2606:4700::1111 2620:fe::fe ::ffff:8.8.8.8".split(" "),
];

/** Asks the rule of an endpoint whose URL is a name. */
function permits(address: string, allowPrivate: readonly string[] = [], url = "https://receiver.example/"): boolean {
  return permitsFor(new URL(url), parseAddressRule({ allowPrivate, ports: [] }))?.(address) ?? false;
}

describe("an https endpoint without allowPrivate", () => {
  test.each(NOT_PUBLIC)("does not reach %s", (address) => {
    expect(permits(address)).toBe(false);
  });

  test.each(PUBLIC)("reaches %s", (address) => {
    expect(permits(address)).toBe(true);
  });

  test.each(["", "nonsense", "127.1", "0x7f.1", "2130706433", "1.1.1.1/32", "8.8.8.8 ", "[::1]"])(
    "does not take %j for an address",
    (text) => {
      expect(permits(text)).toBe(false);
    },
  );

  test("judges mapped IPv4 as the address inside, whatever it is", () => {
    fc.assert(fc.property(fc.ipV4(), (address) => permits(`::ffff:${address}`) === permits(address)));
  });
});

describe("allowPrivate", () => {
  test.each([
    ["127.0.0.1", "127.0.0.0/8"],
    ["::ffff:127.0.0.1", "127.0.0.0/8"],
    ["10.1.2.3", "10.0.0.0/8"],
    ["100.64.1.1", "100.64.0.0/10"],
    ["::1", "::1/128"],
    ["fd12::1", "fc00::/7"],
    ["169.254.10.1", "169.254.0.0/16"],
    ["169.254.169.254", "169.254.169.254/32"],
    ["fe80::1", "fe80::/64"],
    ["10.1.2.3", "0.0.0.0/0"],
  ])("lets %s be reached by %s", (address, cidr) => {
    expect(permits(address, [cidr])).toBe(true);
    expect(permits(address, [cidr], "http://receiver.example:8080/")).toBe(true);
  });

  test.each([
    ["10.1.2.3", "127.0.0.0/8"],
    ["::1", "127.0.0.0/8"],
    ["127.0.0.1", "::/0"],
    ["169.254.169.254", "0.0.0.0/0"],
    ["169.254.169.254", "169.0.0.0/8"],
    ["169.254.169.254", "169.254.0.0/8"],
    ["::ffff:169.254.169.254", "0.0.0.0/0"],
    ["100.100.100.200", "100.64.0.0/10"],
    ["168.63.129.16", "168.63.0.0/16"],
    ["fe80::1", "::/0"],
    ["fd00:ec2::254", "fc00::/7"],
    ["10.1.2.3", "10.0.0.0/99"],
    ["10.1.2.3", "ten"],
    ["10.1.2.3", "10.1.2.3"],
  ])("does not let %s be reached by %s", (address, cidr) => {
    expect(permits(address, [cidr])).toBe(false);
  });
});

describe("schemes and ports", () => {
  const reaches = (url: string, ports: readonly number[] = []) =>
    permitsFor(new URL(url), parseAddressRule({ allowPrivate: ["10.0.0.0/8"], ports }))?.("8.8.8.8") ?? false;

  test.each(["https://a.example/", "https://a.example:443/", "https://a.example:8443/"])(
    "%s reaches public addresses",
    (url) => {
      expect(reaches(url)).toBe(true);
    },
  );

  test.each([
    "http://a.example/",
    "http://a.example:443/",
    "http://a.example:8443/",
    "https://a.example:9443/",
    "https://a.example:80/",
  ])("%s does not", (url) => {
    expect(reaches(url)).toBe(false);
    expect(permits("10.0.0.1", ["10.0.0.0/8"], url)).toBe(true);
  });

  test("a listed port is for https only", () => {
    expect([reaches("https://a.example:9443/", [9443]), reaches("http://a.example:9443/", [9443])]).toEqual([
      true,
      false,
    ]);
  });

  test.each(["https://8.8.8.8/", "https://[2606:4700::1111]:8443/", "http://10.0.0.1:5000/"])(
    "the literal %s passes",
    (url) => {
      expect(permitsFor(new URL(url), parseAddressRule({ allowPrivate: ["10.0.0.0/8"], ports: [] }))).not.toBeNull();
    },
  );

  test.each([
    "http://8.8.8.8/",
    "https://8.8.8.8:8080/",
    "https://10.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://u@a.example/",
    "https://:p@a.example/",
    "https://a.example/#x",
    "ftp://a.example/",
    "file:///etc/passwd",
  ])("%s is refused before anything is resolved", (url) => {
    expect(permitsFor(new URL(url), parseAddressRule({ allowPrivate: [], ports: [] }))).toBeNull();
  });
});
