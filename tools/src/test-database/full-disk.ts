// A full disk for what a role's sessions write beside the tables: a small file system in memory, mounted
// for one test. Needs Linux, root, and a cluster on this machine.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { testCluster } from './index.ts';

const run = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

const mountMemory = (folder: string, options: string): boolean =>
  run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder);

/** Returns whether a file system can be mounted here, which containers often forbid. */
export function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  if (process.env.DATABASE_URL) return false;
  const folder = mkdtempSync(join(tmpdir(), 'svc-mount-'));
  const isMounted = mountMemory(folder, 'size=64k');
  if (isMounted) run('umount', folder);
  rmSync(folder, { recursive: true });
  return isMounted;
}

export type FullDisk = {
  fill(): void;
  free(): void;
  close(): Promise<void>;
};

/** Opens the disk for the temporary files of new sessions of `role` in the database at `url`. */
export async function openFullDisk(url: string, role: string): Promise<FullDisk> {
  const database = new pg.Client({ connectionString: url }).database ?? '';
  const cluster = await testCluster();
  const admin = new pg.Client({ connectionString: cluster.url('postgres', database) });
  await admin.connect();
  const { rows } = await admin.query<{ data_directory: string }>('show data_directory');
  const { uid, gid } = statSync(rows[0]?.data_directory ?? '');
  const folder = mkdtempSync(join(tmpdir(), 'svc-full-'));
  mountMemory(folder, `size=1m,mode=700,uid=${uid},gid=${gid}`);
  const name = `full_${randomBytes(4).toString('hex')}`;
  await admin.query(`create tablespace ${name} location '${folder}'`);
  await admin.query(`grant create on tablespace ${name} to ${role}`);
  const of = `role ${role} in database ${pg.escapeIdentifier(database)}`;
  await admin.query(`alter ${of} set temp_tablespaces = ${name}`);
  const filler = join(folder, 'filler');
  return {
    fill() {
      try {
        writeFileSync(filler, Buffer.alloc(1 << 20));
      } catch {
        // The last byte did not fit, so the disk is full as intended.
      }
    },
    free: () => rmSync(filler),
    async close() {
      await admin.query(`alter ${of} reset temp_tablespaces`);
      await admin.query(`drop tablespace ${name}`);
      await admin.end();
      run('umount', folder);
      rmSync(folder, { recursive: true });
    },
  };
}
