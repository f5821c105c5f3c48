// Entry of the vault process: reads settings from the environment, protects its memory, prints a ready line
// on stdout (logs go to stderr), and shuts down cleanly.
import { writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { StartTrouble } from './database.ts';
import { closeMs, startVault } from './index.ts';
import { readSettings } from './settings.ts';

// The same as --disable-proto=delete, however the process was started.
Reflect.deleteProperty(Object.prototype, '__proto__');
// Errors of the log stream, such as a full disk or a closed pipe, must not end the process.
process.stderr.on('error', () => undefined);

function stop(lines: readonly string[]): never {
  for (const line of lines) process.stderr.write(`vault: ${line}\n`);
  process.exit(1);
}

/** Protects the process's memory: a debugger or a core file would reveal card numbers. */
function closeMemory(): void {
  if (inspector.url() !== undefined)
    stop(['does not run under the inspector; leave --inspect out']);
  // With a listener Node.js does not open its inspector on SIGUSR1.
  process.on('SIGUSR1', () => {});
  try {
    // Linux: a core file then contains no memory of this process.
    writeFileSync('/proc/self/coredump_filter', '0x00');
  } catch {
    // On other systems the operator's own limit applies (`ulimit -c 0`).
  }
}

/** The time for which a proxy may use kept connections after the end of listening. */
const mostLingerMs = 1000;

closeMemory();
const read = readSettings(process.env);
if ('problems' in read) stop(read.problems);

try {
  const { drainMs } = read.settings;
  const vault = await startVault(read.settings);
  const { url, internalUrl } = vault;
  process.stdout.write(`${JSON.stringify({ ready: true, url, internalUrl })}\n`);
  let isClosing = false;
  const end = () => {
    // A second signal ends the process at once.
    if (isClosing) process.exit(1);
    isClosing = true;
    vault.drain();
    const lingerMs = Math.min(drainMs, mostLingerMs);
    const close = () => vault.close(closeMs - drainMs, lingerMs).then(() => process.exit(0));
    setTimeout(() => void close(), drainMs);
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
} catch (error) {
  if (error instanceof StartTrouble) stop([error.message]);
  throw error;
}
