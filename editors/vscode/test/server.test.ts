/** The real server, started as the extension starts it, and asked as VS Code asks. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";

import { optionsOf, startOf } from "../src/settings";

const LEGACY = "import torch\nx = torch.ger(a, b)\nloss = torch.nn.MSELoss(size_average=False)\n";

interface Published {
  diagnostics: { code: string; codeDescription?: { href: string } }[];
}

interface Action {
  title: string;
  kind: string;
  edit?: { changes: Record<string, { newText: string }[]> };
}

async function withServer(
  settings: Record<string, unknown>,
  work: (connection: MessageConnection, uri: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "torchfix-"));
  const read = (name: string): unknown =>
    name === "interpreter" ? (process.env.TORCHFIX_PYTHON ?? "python3") : settings[name];
  const start = startOf(read, folder);
  const server = spawn(start.command, start.args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  connection.listen();
  try {
    await connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      initializationOptions: optionsOf(read),
      capabilities: {
        textDocument: {
          codeAction: { dataSupport: true, resolveSupport: { properties: ["edit"] } },
        },
      },
    });
    await connection.sendNotification("initialized", {});
    await work(connection, pathToFileURL(join(folder, "net.py")).href);
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
    await ended;
  } finally {
    connection.dispose();
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

async function opened(connection: MessageConnection, uri: string): Promise<Published> {
  const published = new Promise<Published>((resolve) =>
    connection.onNotification("textDocument/publishDiagnostics", resolve),
  );
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "python", version: 1, text: LEGACY },
  });
  return published;
}

test("findings, and a fix that is made of what was chosen", async () => {
  await withServer({}, async (connection, uri) => {
    const { diagnostics } = await opened(connection, uri);
    assert.deepEqual(diagnostics.map((each) => each.code), ["TP901", "TP301"]);
    assert.match(diagnostics[0]?.codeDescription?.href ?? "", /^https:/);
    const range = { start: { line: 1, character: 4 }, end: { line: 1, character: 4 } };
    const actions: Action[] = await connection.sendRequest("textDocument/codeAction", {
      textDocument: { uri },
      range,
      context: { diagnostics, only: ["quickfix"] },
    });
    const first = actions[0];
    assert.ok(first !== undefined && first.edit === undefined);
    const resolved: Action = await connection.sendRequest("codeAction/resolve", first);
    assert.deepEqual(resolved.edit?.changes[uri]?.map((edit) => edit.newText), ["x = torch.outer(a, b)\n"]);
  });
});

test("the settings reach the server", async () => {
  await withServer({ select: ["TP301"], to: "1.13" }, async (connection, uri) => {
    const { diagnostics } = await opened(connection, uri);
    assert.deepEqual(diagnostics.map((each) => each.code), ["TP301"]);
  });
});
