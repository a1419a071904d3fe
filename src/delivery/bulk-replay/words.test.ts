import { expect, test } from "vitest";
import { readWord, type Standing } from "./words.ts";

const stop = { actor: "ana", note: "", at: "2026-11-29T10:00:00.000Z" };
const running: Standing = { paused: null, canceled: null, ended: false };
const paused: Standing = { ...running, paused: stop };
const canceled: Standing = { ...running, canceled: stop };
const ended: Standing = { ...running, ended: true };
const AT_MS = Date.parse("2026-11-29T12:00:00Z");

test.each([
  ["pause", running, null],
  ["pause", paused, "already-paused"],
  ["pause", canceled, "already-ended"],
  ["pause", ended, "already-ended"],
  ["resume", running, "not-paused"],
  ["resume", paused, null],
  ["resume", canceled, "already-ended"],
  ["cancel", running, null],
  ["cancel", paused, null],
  ["cancel", canceled, "already-ended"],
] as const)("%s counts or not by how it stands", (name, standing, refusedBecause) => {
  const argument = { actor: "ana", note: "why" };
  const word = {
    action: name,
    actor: "ana",
    note: "why",
    at: "2026-11-29T12:00:00.000Z",
    counted: refusedBecause === null,
    refusedBecause,
  };
  expect(readWord({ name, argument }, standing, AT_MS)).toEqual(word);
  expect(readWord({ name: "steer", argument: { ...argument, action: name } }, standing, AT_MS)).toEqual(word);
});

test("a word of nobody is recorded and does not count; what is no word is none", () => {
  expect(readWord({ name: "pause", argument: null }, running, AT_MS)).toMatchObject({ refusedBecause: "malformed" });
  const later = { v: 2, actor: "ana" };
  expect(readWord({ name: "pause", argument: later }, running, AT_MS)).toMatchObject({ refusedBecause: "malformed" });
  for (const message of [
    { name: "stop", argument: { actor: "ana" } },
    { name: "steer", argument: { actor: "ana", action: "stop" } },
    { name: "steer", argument: null },
  ])
    expect(readWord(message, running, AT_MS)).toBeNull();
});
