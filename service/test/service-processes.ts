// The service as separate processes on a test's database, without vault and providers.

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { storeLogLine } from '@svc/tools/server-log';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import type { TestDatabase } from './harness.ts';

const main = join(import.meta.dirname, '../src/main.ts');
const key = Buffer.alloc(32, 7).toString('base64');
const nowhere = 'http://127.0.0.1:1';

export type ServiceProcesses = {
  /** Starts one more process with this number of file descriptors; returns its address. */
  start(env?: Readonly<Record<string, string>>, descriptors?: number): Promise<string>;
  /** Stops the process at this address as an operator does. */
  stop(url: string): Promise<number | null>;
  kill(): void;
};

export function serviceProcesses(db: TestDatabase): ServiceProcesses {
  const children: ChildProcess[] = [];
  const byUrl = new Map<string, ChildProcess>();
  return {
    start(env = {}, descriptors) {
      const limited = `ulimit -n ${descriptors} && exec "$0" "$@"`;
      const child = spawn(
        descriptors === undefined ? process.execPath : 'sh',
        descriptors === undefined ? [main] : ['-c', limited, process.execPath, main],
        {
          env: {
            ...bareEnvironment(),
            DATABASE_URL: db.url,
            DATABASE_OWNER_URL: db.ownerUrl,
            SVC_HOST: '127.0.0.1',
            SVC_PORT: '0',
            SVC_KEY: key,
            SVC_VAULT_SHARED_KEY: key,
            SVC_VAULT_ORIGIN: nowhere,
            SVC_VAULT_INTERNAL_URL: nowhere,
            SVC_PROVIDER_URL: nowhere,
            // A crowded machine makes these processes wait as an overload does.
            SVC_SHED_MS: '0',
            ...env,
          },
        },
      );
      children.push(child);
      return new Promise((resolve, reject) => {
        let out = '';
        child.stderr?.on('data', (part) => storeLogLine(String(part)));
        child.stdout?.on('data', (part) => {
          out += part;
          storeLogLine(String(part));
          if (!out.includes('\n')) return;
          const url = String(JSON.parse(out).url).replace('localhost', '127.0.0.1');
          byUrl.set(url, child);
          resolve(url);
        });
        child.on('exit', (code) => reject(new Error(`ended with ${code}: ${out}`)));
      });
    },
    stop(url) {
      const child = byUrl.get(url);
      if (!child) throw new Error(`nothing was started at ${url}`);
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      return ended;
    },
    kill() {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}
