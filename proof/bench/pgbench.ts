// Runs the limit's capture with PostgreSQL's own load program, if it is installed.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pgbenchScript } from './load/limit.ts';
import type { LoadResult, SingleUseRows } from './load/load-plan.ts';

// A program of the machine and not of the project.
const program = 'pgbench';

export const hasPgbench = (): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

type PgbenchPlan = {
  readonly url: string;
  readonly rows: SingleUseRows;
  readonly clients: number;
  readonly ms: number;
};

/** pgbench runs for whole seconds only. */
export const pgbenchSeconds = (ms: number): number => Math.max(1, Math.round(ms / 1000));

/** Gives each client an equal range of the rows; past its end a client would capture nothing. */
export async function runPgbench(plan: PgbenchPlan): Promise<LoadResult> {
  const { rows, clients } = plan;
  const folder = mkdtempSync(join(tmpdir(), 'svc-pgbench-'));
  try {
    const script = join(folder, 'capture.sql');
    const each = Math.floor(rows.count / clients);
    writeFileSync(script, pgbenchScript({ first: rows.first, each }));
    const seconds = String(pgbenchSeconds(plan.ms));
    const args = ['-n', '-M', 'prepared', '-f', script, '-D', 'step=0', '-j', '1', '-T', seconds];
    return parsePgbench(await output([...args, '-c', String(clients), '-r'], plan.url), rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function output(args: readonly string[], url: string): Promise<string> {
  const { username, password, pathname, searchParams } = new URL(url.replace('@/', '@host/'));
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, pathname.slice(1)], {
      env: {
        PATH: process.env.PATH,
        PGHOST: searchParams.get('host') ?? '',
        PGUSER: username,
        PGPASSWORD: password,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    let complaints = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complaints += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(said);
      else reject(new Error(`pgbench failed: ${complaints.trim()}`));
    });
  });
}

/** Reads the last lines that pgbench 10 and later print: a mean, but no quantiles. */
export function parsePgbench(text: string, rows: SingleUseRows): LoadResult {
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1]);
  const succeeded = number(/transactions actually processed: (\d+)/);
  const failed = number(/number of failed transactions: (\d+)/) || 0;
  const meanMs = number(/latency average = ([\d.]+) ms/);
  return {
    succeeded,
    failed,
    firstFailure: failed > 0 ? 'pgbench counted failed transactions' : null,
    used: rows.count,
    perSecond: number(/tps = ([\d.]+)/),
    p50Ms: meanMs,
    p99Ms: Number.NaN,
  };
}
