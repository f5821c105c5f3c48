// Proof and soak as processes: how they end when they are asked to.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scaled } from '@svc/tools/machine';
import { describe, expect, it } from 'vitest';

describe('npm run proof', () => {
  const startProof = (...args: readonly string[]) => {
    const file = join(import.meta.dirname, '../proof.ts');
    const child = spawn(process.execPath, [file, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    const watchers = new Map<string, () => void>();
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk;
      for (const [wanted, go] of watchers) if (text.includes(wanted)) go();
    });
    return {
      child,
      text: () => text,
      until: (wanted: string) => new Promise<void>((go) => void watchers.set(wanted, go)),
      ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
    };
  };
  /** Processes whose parent, or the parent of whose parent, is this one. */
  const descendantsOf = (pid: number): number[] => {
    const own = readdirSync('/proc')
      .map(Number)
      .filter((one) => one > 0 && parentOf(one) === pid);
    return own.flatMap((one) => [one, ...descendantsOf(one)]);
  };

  it('--help: every option with its count', async () => {
    const run = startProof('--help');
    expect(await run.ended).toBe(0);
    expect(run.text()).toContain('--kills         kills (200)');
  });

  it(
    'a first signal: ends in order, says what was reached; a second one at once; neither leaves a process',
    async () => {
      const calm = startProof('--only', 'model', '--seed', '3');
      await calm.until('Y1 runs');
      const first = descendantsOf(calm.child.pid ?? 0);
      calm.child.kill('SIGINT');
      expect(await calm.ended).toBe(130);
      expect(calm.text()).toContain('broken off: the counts above are what was reached');
      expect(calm.text()).toContain('no problem');

      const hasty = startProof('--only', 'kills', '--kills', '500');
      await hasty.until('Y4 kills');
      const second = descendantsOf(hasty.child.pid ?? 0);
      hasty.child.kill('SIGTERM');
      await hasty.until('ending:');
      hasty.child.kill('SIGTERM');
      expect(await hasty.ended).toBe(130);
      expect(first.length + second.length).toBeGreaterThan(2);
      await expect
        .poll(() => [...first, ...second].filter((pid) => parentOf(pid) !== undefined), {
          timeout: scaled(5000),
        })
        .toEqual([]);
    },
    scaled(60_000),
  );
});

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.replace(/^.*\) /s, '').split(' ');
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
