/** The extension in a stand-in of VS Code, with a stand-in of the client. */

import assert from "node:assert/strict";
import Module from "node:module";
import test from "node:test";

type Handler = (event: { affectsConfiguration: (name: string) => boolean }) => Promise<void>;

class Client {
  static made: Client[] = [];
  static failure: Error | undefined;
  isRunning = false;
  constructor(
    readonly id: string,
    readonly name: string,
    readonly server: unknown,
    readonly options: { initializationOptions: unknown; documentSelector: { scheme: string }[] },
  ) {
    Client.made.push(this);
  }
  async start(): Promise<void> {
    if (Client.failure !== undefined) {
      throw Client.failure;
    }
    this.isRunning = true;
  }
  async dispose(): Promise<void> {
    this.isRunning = false;
  }
}

const settings: Record<string, unknown> = {};
const commands = new Map<string, () => unknown>();
const executed: unknown[][] = [];
const told: string[] = [];
let changed: Handler | undefined;

const vscode = {
  commands: {
    registerCommand: (name: string, work: () => unknown) => commands.set(name, work),
    executeCommand: (...args: unknown[]) => executed.push(args),
  },
  window: { showErrorMessage: (message: string) => told.push(message) },
  workspace: {
    workspaceFolders: [{ uri: { fsPath: "/net" } }],
    getConfiguration: () => ({ get: (name: string) => settings[name] }),
    createFileSystemWatcher: (pattern: string) => pattern,
    onDidChangeConfiguration: (handler: Handler) => (changed = handler),
  },
};

const standIns: Record<string, unknown> = {
  vscode,
  "vscode-languageclient/node": { LanguageClient: Client },
};
const modules = Module as unknown as { _load: (name: string, ...rest: unknown[]) => unknown };
const load = modules._load;
modules._load = (name, ...rest) => standIns[name] ?? load(name, ...rest);


const extension = require("../src/extension") as typeof import("../src/extension");
const context = { subscriptions: [] as unknown[] };

test("it starts the server, and again with other settings", async () => {
  settings["interpreter"] = "${workspaceFolder}/python";
  await extension.activate(context as never);
  assert.equal(Client.made.length, 1);
  assert.deepEqual(Client.made[0]?.server, {
    command: "/net/python",
    args: ["-m", "torchfix_codemods", "lsp"],
  });
  assert.deepEqual(Client.made[0]?.options.initializationOptions, {});

  await changed?.({ affectsConfiguration: (name) => name === "python" });
  assert.equal(Client.made.length, 1);
  settings["from"] = "0.3";
  await changed?.({ affectsConfiguration: (name) => name === "torchfix" });
  assert.deepEqual(Client.made.map((each) => each.isRunning), [false, true]);
  assert.deepEqual(Client.made[1]?.options.initializationOptions, { from: "0.3" });
});

test("a restart that is asked for twice leaves one server", async () => {
  await Promise.all([commands.get("torchfix.restart")?.(), commands.get("torchfix.restart")?.()]);
  assert.equal(Client.made.filter((each) => each.isRunning).length, 1);
});

test("the command rewrites the file", () => {
  commands.get("torchfix.fixFile")?.();
  assert.deepEqual(executed, [
    ["editor.action.codeAction", { kind: "source.fixAll.torchfix", apply: "first" }],
  ]);
});

test("a server that cannot be started is told, and what to do", async () => {
  Client.failure = new Error("spawn ENOENT");
  await commands.get("torchfix.restart")?.();
  assert.equal(told.length, 1);
  assert.match(told[0] ?? "", /python -m torchfix_codemods lsp could not be started \(spawn ENOENT\).*pip install/);
  Client.failure = undefined;
});

test("it ends with the server", async () => {
  await commands.get("torchfix.restart")?.();
  await extension.deactivate();
  assert.deepEqual(Client.made.filter((each) => each.isRunning), []);
});
