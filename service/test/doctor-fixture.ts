// A world for tests of svc doctor, in which nothing is wrong, and servers whose answers a test sets.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import type { Ports } from '../src/engine/ports.ts';
import type { Finding } from '../src/engine/runs/doctor/finding.ts';
import { certificateEnd } from '../src/providers/certificate-end.ts';
import { openDatabase } from '../src/storage/database/database.ts';
import { runOn } from './command-line.ts';
import { portsFor } from './harness.ts';
import { startWorld } from './world.ts';

type Site = {
  readonly url: string;
  /** The response to each path. */
  readonly answers: Record<
    string,
    { status?: number; headers?: Record<string, string>; body: unknown }
  >;
};

/** The response of a service that is ready. */
export const readyAnswer = {
  status: 'ready',
  isDraining: false,
  mode: 'sandbox',
  database: 'PostgreSQL 18, database svc',
  isMigrated: true,
  isWritable: true,
  vault: 'ready',
  runs: { node: 'v24.0.0', limits: 'on' },
};

export type StartOptions = {
  ports?: Partial<Ports>;
  settings?: Partial<Ports['settings']>;
  env?: Record<string, string>;
  args?: string[];
};

export async function startPatient() {
  const world = await startWorld();
  const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
  const closing: (() => Promise<unknown>)[] = [];
  /** A server that answers each path with what the test set. */
  async function aSite(
    answers: Site['answers'],
    tls?: { key: string; cert: string },
  ): Promise<Site> {
    const site = { answers };
    const serve: Parameters<typeof createServer>[1] = (request, reply) => {
      const {
        status = 200,
        headers = {},
        body,
      } = site.answers[request.url ?? ''] ?? { status: 404, body: '' };
      reply.writeHead(status, headers);
      reply.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    const server: Server = tls ? createTlsServer(tls, serve) : createServer(serve);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    return { url: `${tls ? 'https' : 'http'}://localhost:${port}`, ...site };
  }

  const settingsOf = (given: Partial<Ports['settings']> = {}): Ports['settings'] => ({
    ...portsFor(world.database).settings,
    baseUrl: service.url,
    formOrigin: world.vault.url,
    attemptLimits: {} as NonNullable<Ports['settings']['attemptLimits']>,
    ...given,
  });

  /** Runs the doctor; everything but what is given is in order. */
  async function examine({ ports, settings, env, args = [] }: StartOptions = {}) {
    const ran = await runOn(
      { ...world.ports, certificateEnd, ...ports, settings: settingsOf(settings) },
      ['doctor', '--json', ...args],
      { env: { SVC_PROVIDER_URL: world.sandbox.url, ...env } },
    );
    const { findings } = JSON.parse(ran.out || '{"findings":[]}') as { findings: Finding[] };
    const wrongs = findings.filter(({ verdict }) => verdict === 'wrong');
    const brief = wrongs.map(({ what, said }) => `${what}: ${said}`);
    expect(ran.out).not.toContain(secret);
    for (const { mend } of wrongs) expect(mend).toMatch(/\w/);
    return { ...ran, findings, wrongs: brief };
  }

  const asOwner = async <T>(work: (db: pg.Client) => Promise<T>): Promise<T> => {
    const db = new pg.Client({ connectionString: world.ownerUrl });
    await db.connect();
    try {
      return await work(db);
    } finally {
      await db.end();
    }
  };

  /** Runs the doctor on the world's database with other startup options or another role. */
  async function onDatabase(url: string, given: StartOptions = {}) {
    const database = openDatabase({ url });
    try {
      return await examine({ ...given, ports: { database, ...given.ports } });
    } finally {
      await database.close();
    }
  }

  const service = await aSite({
    '/readyz': { body: readyAnswer },
    [`/provider-notices/${world.gatewayId}`]: { body: { received: true } },
  });
  const secret = world.account.secretKey;
  return {
    ...{ world, folder, service, aSite, settingsOf, examine, asOwner, onDatabase },
    /** Runs the work before the world is closed. */
    after: (work: () => Promise<unknown>) => void closing.push(work),
    async close() {
      for (const close of closing.reverse()) await close();
      await world.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
