// The last log lines of servers, for the report of a failed test (say-server-log.ts).
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

const kept = 20;
const fileTail = 20_000;
// Each test file of a process loads this module again.
const store = globalThis as { svcServerLog?: { lines: string[]; files: Set<string> } };
store.svcServerLog ??= { lines: [], files: new Set() };
const { lines, files } = store.svcServerLog;

/** Stores a log line of a server that runs in this process or was started by it. */
export function storeLogLine(line: string): void {
  lines.push(line.trimEnd());
  if (lines.length > kept) lines.shift();
}

/** Names a server's log file, which is read when a test fails. */
export function noteLogFile(file: string): void {
  files.add(file);
}

/** Starts a new period. The returned function gives the log lines since then, oldest first. */
export function followLog(): () => string[] {
  lines.length = 0;
  const sizes = new Map([...files].map((file) => [file, sizeOf(file)]));
  return () => [...lines, ...[...files].flatMap((file) => linesFrom(file, sizes.get(file) ?? 0))];
}

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

/** Returns the last lines added to the file since it had that size, each with the file's name. */
function linesFrom(file: string, from: number): string[] {
  const end = sizeOf(file);
  const start = Math.max(from, end - fileTail);
  if (end <= start) return [];
  const open = openSync(file, 'r');
  try {
    const text = Buffer.alloc(end - start);
    readSync(open, text, 0, text.length, start);
    const name = file.split('/').at(-1);
    const all = text.toString('utf8').trimEnd().split('\n');
    return all.slice(-kept).map((line) => `${name}: ${line}`);
  } finally {
    closeSync(open);
  }
}
