// Entry of the vault process: settings from the environment, walls around its memory, a ready line
// on stdout (logs go to stderr), and a clean end.
import { writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { StartTrouble } from './database.ts';
import { closeMs, startVault } from './index.ts';
import { readSettings } from './settings.ts';

// As with --disable-proto=delete, however the process was started.
Reflect.deleteProperty(Object.prototype, '__proto__');
// A log for which there is no room, or that nobody reads any more, ends nothing.
process.stderr.on('error', () => undefined);

function stop(lines: readonly string[]): never {
  for (const line of lines) process.stderr.write(`vault: ${line}\n`);
  process.exit(1);
}

/** Whoever debugs this process reads card numbers; so does whoever finds its core file. */
function closeMemory(): void {
  if (inspector.url() !== undefined)
    stop(['does not run under the inspector; leave --inspect out']);
  // A listener takes the signal from the runtime, which would otherwise open the inspector.
  process.on('SIGUSR1', () => {});
  try {
    // Linux: a core file then holds no memory of this process.
    writeFileSync('/proc/self/coredump_filter', '0x00');
  } catch {
    // Elsewhere the operator's own limit applies (`ulimit -c 0`).
  }
}

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
    // A second signal means now.
    if (isClosing) process.exit(1);
    isClosing = true;
    vault.drain();
    setTimeout(() => void vault.close(closeMs - drainMs).then(() => process.exit(0)), drainMs);
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
} catch (error) {
  if (error instanceof StartTrouble) stop([error.message]);
  throw error;
}
