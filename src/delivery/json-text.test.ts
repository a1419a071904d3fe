import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compactJson, compactJsonBytes, findDuplicateMember, memberText, withoutMembers } from "./json-text.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** White space as it may stand between any two tokens. */
const spaces = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

describe("findDuplicateMember", () => {
  test.each([
    ['{"action":"hold","action":"release"}', "action"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"\\u00e9":1,"é":2}', '["é"]'],
    ['{"data":{"items":[{},{"id":0},{"id":1,"x":[{}],"id":2}]}}', "data.items[2].id"],
    ['[[],[1,{"a":{"b":1,"b":1}}]]', "[1][1].a.b"],
    ['{"":1,"":2}', '[""]'],
    ['{"a b":{"c\\"d":1,"c\\"d":1}}', '["a b"]["c\\"d"]'],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    [' { "a" : 1 , "a" : 2 } ', "a"],
  ])("finds in %s the member %s", (text, path) => {
    expect(findDuplicateMember(text)).toBe(path);
  });

  test.each([
    "1",
    '"a"',
    "[]",
    "{}",
    "null",
    '{"a":"a","b":"a"}',
    '{"a":{"a":1},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":[{"a":1},"a","a"]}',
    '{"a":"{\\"b\\":1,\\"b\\":1}"}',
    '{"a":"\\\\","b":","}',
    '{"a":1,"A":2}',
    '{"constructor":1,"toString":2}',
  ])("finds none in %s", (text) => {
    expect(findDuplicateMember(text)).toBeNull();
  });

  test("shows a very long path by its end", () => {
    const text = `${'{"abcdefghi":'.repeat(30)}{"x":1,"x":2}${"}".repeat(30)}`;
    expect(findDuplicateMember(text)).toMatch(/^….{198}\.x$/);
  });

  test("survives 100,000 levels, as JSON.parse does", () => {
    const arrays = "[".repeat(100_000) + "]".repeat(100_000);
    const objects = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    for (const text of [arrays, objects]) {
      JSON.parse(text);
      expect(findDuplicateMember(text)).toBeNull();
      expect(compactJson(text)).toBe(text);
    }
    expect(memberText(`{"deep":${arrays}}`, "deep")).toBe(arrays);
  });

  test("finds none in anything JSON.stringify writes, and any member written twice", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, name) => {
        const inner = JSON.stringify(value);
        expect(findDuplicateMember(inner)).toBeNull();
        const quoted = JSON.stringify(name);
        expect(findDuplicateMember(`{${quoted}:${inner},"other ${quoted.slice(1)}:1,${quoted}:0}`)).not.toBeNull();
      }),
    );
  });
});

describe("memberText", () => {
  test.each([
    [
      '{"data":{"id":1152921506151679042,"amt":1.0,"max":1e400,"neg":-0}}',
      '{"id":1152921506151679042,"amt":1.0,"max":1e400,"neg":-0}',
    ],
    ['{"data": [1, 2 ] ,"x":1}', "[1, 2 ]"],
    ['\n{ "x" : {"data":1} , "data" : -0.0 }\n', "-0.0"],
    ['{"data":"a,b}\\"c","x":1}', '"a,b}\\"c"'],
    ['{"d\\u0061ta":true}', "true"],
    ['{"data":null}', "null"],
    ['{"x":["data",{"data":2}],"data":1}', "1"],
    ['{"data":1,"data":2}', "2"],
  ])("cuts the value out of %s exactly as written", (text, value) => {
    expect(memberText(text, "data")).toBe(value);
  });

  test.each(["{}", "[]", '"data"', "1", '{"x":{"data":1}}', '{"Data":1}'])("finds no member data in %s", (text) => {
    expect(memberText(text, "data")).toBeNull();
  });

  test("comes to an end in text that is not JSON", () => {
    expect(memberText('{"data', "data")).toBeNull();
    expect(memberText('{"data":[', "data")).toBe("[");
    expect(memberText("{", "data")).toBeNull();
  });

  test("cuts out text that parses to the member, for any JSON", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
        fc.integer({ min: 0, max: 4 }),
        (value, indent) => {
          const parsed = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
          const text = JSON.stringify(value, null, indent);
          for (const name of Object.keys(parsed)) {
            expect(JSON.parse(String(memberText(text, name)))).toEqual(parsed[name]);
          }
        },
      ),
    );
  });
});

describe("compactJson and compactJsonBytes", () => {
  test.each([
    ['{ "b" : 1 }\n', '{"b":1}'],
    [" [ 1 ,\t2 ,\r\n3 ] ", "[1,2,3]"],
    ['{"a":" x  y ","b c":"\\" , "}', '{"a":" x  y ","b c":"\\" , "}'],
    ['{"a\\\\" : 1 }', '{"a\\\\":1}'],
    [" 1.0 ", "1.0"],
    ['{"n": "\u2028 \u2028","u":"a\\/b" }', '{"n":"\u2028 \u2028","u":"a\\/b"}'],
    ["", ""],
    ["  ", ""],
  ])("make of %j %j", (text, compact) => {
    expect(compactJson(text)).toBe(compact);
    expect(decoder.decode(compactJsonBytes(encoder.encode(text)))).toBe(compact);
  });

  test.each(["1 2", '"a" "b"', "tru e", '{"a":1}\u00a0', '"open  \n', '"open\\'])(
    "change nothing in %j, which is not JSON",
    (text) => {
      expect(compactJson(text)).toBe(text);
      expect(compactJsonBytes(encoder.encode(text))).toEqual(encoder.encode(text));
    },
  );

  test("leave bytes alone that are not UTF-8, and a byte order mark", () => {
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x22, 0xff, 0x20, 0x22, 0x7d);
    expect(compactJsonBytes(bytes)).toEqual(bytes);
  });

  test("read only the bytes of a view, not its whole buffer", () => {
    const buffer = encoder.encode("xx[ 1 ]xx");
    expect(compactJsonBytes(buffer.subarray(2, 7))).toEqual(encoder.encode("[1]"));
  });

  test("drop any white space between the tokens of any JSON, and nothing else", () => {
    fc.assert(
      fc.property(fc.jsonValue(), spaces, spaces, fc.integer({ min: 0, max: 4 }), (value, before, after, indent) => {
        const spaced = before + JSON.stringify(value, null, indent) + after;
        const compact = JSON.stringify(value);
        expect(compactJson(spaced)).toBe(compact);
        expect(compactJsonBytes(encoder.encode(spaced))).toEqual(encoder.encode(compact));
      }),
    );
  });
});

describe("withoutMembers", () => {
  test.each([
    ['{"a":1,"b":2}', ["a"], '{"b":2}'],
    ['{ "a" : 1.0 , "b" : "x y" }', ["a"], '{"b":"x y"}'],
    ['{"a":1,"b":{"a":2}}', ["a"], '{"b":{"a":2}}'],
    ['{"\\u0061":1,"b":2}', ["a"], '{"b":2}'],
    ['{"a":1}', ["a"], "{}"],
    ['{"a":1,"b":2}', [], '{"a":1,"b":2}'],
    ['[{"a":1}]', ["a"], '[{"a":1}]'],
  ])("of %s without %j is %s", (text, names, expected) => {
    expect(withoutMembers(text, names)).toBe(expected);
  });
});
