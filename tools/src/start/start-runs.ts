// Runs `npm start` for its tests, and ends it.

import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Postgres } from '@svc/service/start/postgres/index';
import pg from 'pg';
import type { Block } from './block.ts';
import { foldersOf } from './database.ts';

export const main: string = join(import.meta.dirname, 'main.ts');

type Run = {
  readonly child: ChildProcess;
  readonly block: Promise<Block>;
  readonly ended: Promise<number | null>;
  said(): string;
};

const runs: Run[] = [];
const folders: string[] = [];

/** Makes a folder, which is removed at the end. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-start-'));
  // The database's account must be able to enter; otherwise the database is stored elsewhere.
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** Starts without demo data, because most tests count only what they made. */
export function start(args: readonly string[], env: Record<string, string> = {}): Run {
  return startWithDemoData(['--no-demo-data', ...args], env);
}

export function startWithDemoData(args: readonly string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [main, '--json', ...args], {
    env: { ...process.env, DATABASE_URL: '', VAULT_DATABASE_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let out = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const block = new Promise<Block>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk;
      if (out.includes('\n')) resolve(JSON.parse(out) as Block);
    });
    child.once('exit', () => reject(new Error(`no block:\n${said}`)));
  });
  block.catch(() => undefined);
  const run = { child, block, ended, said: () => said };
  runs.push(run);
  return run;
}

export async function stop(run: Run): Promise<number | null> {
  if (run.child.exitCode === null && run.child.signalCode === null) run.child.kill('SIGINT');
  return run.ended;
}

export async function stopAll(): Promise<void> {
  await Promise.all(runs.splice(0).map(stop));
}

export function removeFolders(): void {
  // Before the data folder goes: its database may stand elsewhere.
  for (const folder of folders.splice(0).flatMap(foldersOf)) {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the rows of one statement, over a connection of its own. */
export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Makes a database and returns its address in the form of a local server: no host, and the rest as
 * parameters.
 */
export async function otherDatabase(server: Postgres): Promise<string> {
  const admin = server.url('postgres', 'postgres');
  await query(admin, 'create database other');
  const password = decodeURIComponent(new URL(admin.replace('@/', '@localhost/')).password);
  const rest = { host: server.socketDir, user: 'postgres', password };
  return `postgres:///other?${new URLSearchParams(rest)}`;
}
