import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isAlive, processIdentity } from './processes.ts';

/** A shell that becomes another program and never reaps its ended child. */
async function withZombieProcess(work: (zombie: number) => Promise<void>): Promise<void> {
  const parent = spawn('sh', ['-c', 'sh -c "read line" <&3 & echo $!; exec cat'], {
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  });
  try {
    const [line] = await new Promise<Buffer[]>((resolve) =>
      parent.stdout?.once('data', (...given: Buffer[]) => resolve(given)),
    );
    const child = Number(line);
    expect([isAlive(child), processIdentity(child)]).toEqual([true, expect.any(String)]);
    (parent.stdio[3] as import('node:stream').Writable).end();
    await work(child);
  } finally {
    parent.kill('SIGKILL');
  }
}

describe('isAlive', () => {
  it('this process, and one of another user', () => {
    expect([isAlive(process.pid), isAlive(1)]).toEqual([true, true]);
    expect(processIdentity(process.pid)).toMatch(/^\d+$|:/);
  });

  it('a number that no process has', () => {
    expect([isAlive(2 ** 22 + 1), processIdentity(2 ** 22 + 1)]).toEqual([false, undefined]);
  });

  it.runIf(existsSync('/proc/self/stat'))('a zombie has ended', async () => {
    await withZombieProcess(async (zombie) => {
      await expect.poll(() => isAlive(zombie)).toBe(false);
      expect(processIdentity(zombie)).toBeUndefined();
      expect(existsSync(`/proc/${zombie}`)).toBe(true);
    });
  });
});
