/** What the settings of the editor mean for the server. Knows nothing of VS Code. */

/** Reads one setting below `torchfix.`. */
export type Read = (name: string) => unknown;

/** A program, and what it is started with. */
export interface Start {
  command: string;
  args: string[];
}

/** The settings that the server takes, by the names that it has for them. */
export const TAKEN = [
  "select",
  "extend-select",
  "ignore",
  "from",
  "to",
  "safe",
  "needed",
  "device-name",
] as const;

/**
 * How the server is started.
 *
 * @param read reads a setting.
 * @param folder the folder that is open; undefined where none is.
 */
export function startOf(read: Read, folder: string | undefined): Start {
  const named = (name: string): string => withFolder(text(read(name)), folder);
  const interpreter = named("interpreter");
  if (interpreter !== "") {
    return { command: interpreter, args: ["-m", "torchfix_codemods", "lsp"] };
  }
  return { command: named("command") || "torchfix", args: ["lsp"] };
}

/** What the server is told at its start: the settings that say something. */
export function optionsOf(read: Read): Record<string, unknown> {
  const said = TAKEN.map((name) => [name, read(name)] as const);
  return Object.fromEntries(said.filter(([, value]) => !isEmpty(value)));
}

function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function withFolder(value: string, folder: string | undefined): string {
  return value.replaceAll("${workspaceFolder}", folder ?? "");
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
