import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { optionsOf, startOf, TAKEN } from "../src/settings";

const reading = (values: Record<string, unknown>) => (name: string): unknown => values[name];

interface Declared {
  contributes: { configuration: { properties: Record<string, { default: unknown }> } };
}

const declared = (
  JSON.parse(readFileSync(join(__dirname, "..", "..", "package.json"), "utf8")) as Declared
).contributes.configuration.properties;

test("the command is started where no interpreter is set", () => {
  assert.deepEqual(startOf(reading({}), undefined), { command: "torchfix", args: ["lsp"] });
  const start = startOf(reading({ interpreter: " ", command: "/opt/torchfix" }), undefined);
  assert.deepEqual(start, { command: "/opt/torchfix", args: ["lsp"] });
});

test("an interpreter runs the module", () => {
  const start = startOf(reading({ interpreter: "${workspaceFolder}/.venv/bin/python", command: "other" }), "/home/me/net");
  assert.deepEqual(start, {
    command: "/home/me/net/.venv/bin/python",
    args: ["-m", "torchfix_codemods", "lsp"],
  });
});

test("only what says something is sent", () => {
  const values = { select: ["TP1"], ignore: [], from: "0.3", to: "", safe: false, needed: null, other: 1 };
  assert.deepEqual(optionsOf(reading(values)), { select: ["TP1"], from: "0.3", safe: false });
});

test("what is declared says nothing until it is set", () => {
  const defaults = (name: string): unknown => declared[`torchfix.${name}`]?.default;
  assert.deepEqual(optionsOf(defaults), {});
  assert.deepEqual(startOf(defaults, undefined), { command: "torchfix", args: ["lsp"] });
});

test("all that the server takes is declared, and no more", () => {
  const names = Object.keys(declared).map((name) => name.replace("torchfix.", ""));
  assert.deepEqual(names.sort(), ["interpreter", "command", ...TAKEN].sort());
});
