/** Starts `torchfix lsp`, and starts it anew where settings change. */

import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

import { optionsOf, startOf } from "./settings";

const FIX_ALL = "source.fixAll.torchfix";

let settingsFiles: vscode.FileSystemWatcher | undefined;
let client: LanguageClient | undefined;
/** What is done to the server is done in turn. */
let turn: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  settingsFiles = vscode.workspace.createFileSystemWatcher("**/pyproject.toml");
  context.subscriptions.push(
    settingsFiles,
    vscode.commands.registerCommand("torchfix.restart", restart),
    vscode.commands.registerCommand("torchfix.fixFile", () =>
      vscode.commands.executeCommand("editor.action.codeAction", { kind: FIX_ALL, apply: "first" }),
    ),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("torchfix")) {
        await restart();
      }
    }),
  );
  await restart();
}

export function deactivate(): Promise<void> {
  turn = turn.then(stop);
  return turn;
}

function restart(): Promise<void> {
  turn = turn.then(stop).then(start);
  return turn;
}

async function stop(): Promise<void> {
  const stopped = client;
  client = undefined;
  try {
    await stopped?.dispose();
  } catch {
    // It came to its end by itself, which was told then.
  }
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("torchfix");
  const read = (name: string): unknown => settings.get(name);
  const server = startOf(read, vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
  client = new LanguageClient("torchfix", "torchfix", server, {
    documentSelector: [
      { scheme: "file", language: "python" },
      { scheme: "untitled", language: "python" },
    ],
    initializationOptions: optionsOf(read),
    synchronize: { fileEvents: settingsFiles },
  });
  try {
    await client.start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(
      `torchfix: ${[server.command, ...server.args].join(" ")} could not be started (${reason}). ` +
        "Install it with: pip install 'torchfix-codemods[lsp]', and name the Python that has it " +
        "in the setting torchfix.interpreter.",
    );
  }
}
