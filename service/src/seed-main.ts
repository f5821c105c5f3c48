// `node service/src/seed-main.ts`: makes the demo merchant of a sandbox. Reads DATABASE_URL and
// SVC_KEY from the environment and a DemoInput as JSON from stdin; prints a DemoMerchant as one
// line of JSON.

import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { idSource } from './domain/uuid-v7.ts';
import { type DemoInput, seedDemo } from './seed.ts';
import { openDatabase } from './storage/database.ts';
import { isMigrated } from './storage/migrate.ts';
import { openSealed } from './storage/sealed.ts';

const required = [
  'accountId',
  'publishableKey',
  'secretKey',
  'noticeSecret',
  'webhookUrl',
] as const;
const optional = ['apiToken', 'webhookSecret'] as const;

function parseInput(json: string): DemoInput {
  const given = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const textOf = (field: string): string => {
    const value = given[field];
    if (typeof value !== 'string' || value === '') throw new Error(`stdin: ${field} is missing`);
    return value;
  };
  const origins = given.allowedOrigins ?? [];
  if (!Array.isArray(origins) || !origins.every((origin) => typeof origin === 'string')) {
    throw new Error('stdin: allowedOrigins is no list of texts');
  }
  return Object.fromEntries([
    ...required.map((field) => [field, textOf(field)]),
    ...optional.map((field) => [field, given[field] == null ? null : textOf(field)]),
    ['allowedOrigins', origins],
  ]) as DemoInput;
}

function readKey(written: string | undefined): Buffer {
  const key = Buffer.from(written ?? '', 'base64');
  if (key.length !== 32) throw new Error('SVC_KEY is not base64 of 32 bytes');
  return key;
}

async function main(): Promise<void> {
  const { DATABASE_URL: url, SVC_KEY: written } = process.env;
  if (!url) throw new Error('DATABASE_URL is missing');
  const kek = readKey(written);
  const input = parseInput(await text(process.stdin));
  const database = openDatabase({ url, poolSize: 2, applicationName: 'svc-seed' });
  try {
    if (!(await isMigrated(database))) {
      throw new Error('the database of DATABASE_URL is not migrated: start the service first');
    }
    const sealed = openSealed({ database, kek, kekId: 'k1', randomBytes });
    const newId = idSource(Date.now, randomBytes);
    const merchant = await seedDemo({ database, sealed, newId, randomBytes }, input);
    process.stdout.write(`${JSON.stringify(merchant)}\n`);
  } finally {
    await database.close();
  }
}

try {
  await main();
} catch (error) {
  const { errors, message } = error as AggregateError;
  const reason = message || (errors?.[0] as Error | undefined)?.message;
  process.stderr.write(`seed: ${reason}\n`);
  process.exitCode = 1;
}
