import { expect, test } from "vitest";
import { clientBlock } from "./client-block.ts";

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::", "2001:db8:1:3::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["", "unknown"],
  ["shop.example", "unknown"],
  ["192.0.2.7, 198.51.100.1", "unknown"],
])("%j counts as %s", (address, block) => {
  expect(clientBlock(address)).toBe(block);
});
