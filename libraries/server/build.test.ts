import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackage } from './build.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = fileURLToPath(new URL('src', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'svc-package-'));
const consumer = join(folder, 'consumer');
const installed = join(consumer, 'node_modules/@svc/server');

beforeAll(async () => {
  await buildPackage(installed);
  writeFileSync(join(consumer, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the compiler's errors about a merchant's file; empty when there are none. */
function typeErrors(text: string, options: { types: string[]; lib: string[] }): string {
  writeFileSync(join(consumer, 'shop.ts'), text);
  const compilerOptions = {
    ...options,
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    // `proof/packages` checks the declarations themselves.
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const config = { compilerOptions, files: ['shop.ts'] };
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', consumer];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
}

describe('the built declarations', () => {
  it('says the same types as the contract', () => {
    const same = `
      import type * as Published from '@svc/server';
      import type * as Source from '${source}/index.ts';
      type Deep<T> = T extends readonly (infer U)[] ? Deep<U>[] : T extends object ? { [K in keyof T]: Deep<T[K]> } : T;
      type Eq<A, B> = (<T>() => T extends Deep<A> ? 1 : 2) extends <T>() => T extends Deep<B> ? 1 : 2 ? true : false;
      type Pairs = {
        calls: { [K in keyof Source.Calls as Eq<Published.Calls[K], Source.Calls[K]> extends true ? never : K]: 1 };
        keys: Eq<keyof Published.Calls, keyof Source.Calls>;
        payment: Eq<Published.Payment, Source.Payment>;
        event: Eq<Published.WebhookEvent, Source.WebhookEvent>;
        events: { [K in Source.EventType as Eq<Published.WebhookEvent<K>, Source.WebhookEvent<K>> extends true ? never : K]: 1 };
        eventTypes: Eq<keyof Published.EventDataByType, Source.EventType>;
        session: Eq<Published.CheckoutSession, Source.CheckoutSession>;
        status: Eq<Published.SessionStatus, Source.SessionStatus>;
        purchased: Eq<Published.ItemPurchased, Source.ItemPurchased>;
        product: Eq<Published.Product, Source.Product>;
        create: Eq<Published.CreateSessionParams, Source.CreateSessionParams>;
        lists: { [K in keyof Source.Lists as Eq<Published.Lists[K], Source.Lists[K]> extends true ? never : K]: 1 };
        listKeys: Eq<keyof Published.Lists, keyof Source.Lists>;
        method: Eq<Published.PaymentMethod, Source.PaymentMethod>;
        token: Eq<Published.ApiToken, Source.ApiToken>;
        endpoint: Eq<Published.WebhookEndpoint, Source.WebhookEndpoint>;
        attempt: Eq<Published.WebhookAttempt, Source.WebhookAttempt>;
        open: Eq<Published.Payment['status'], Exclude<Published.Payment['status'], 'never said'> | (string & {})>;
        closed: Eq<Published.Payment['object'], 'payment'>;
        otherwise: Eq<Published.Payment, Omit<Source.Payment, 'version'>>;
      };
      export const pairs: Pairs = { calls: {}, keys: true, payment: true, event: true, events: {}, eventTypes: true, session: true, status: true, purchased: true, product: true, create: true, lists: {}, listKeys: true, method: true, token: true, endpoint: true, attempt: true, open: true, closed: true, otherwise: false };
    `;
    const options = { types: ['node'], lib: ['es2024', 'esnext.disposable'] };
    expect(typeErrors(same, options)).toBe('');
  });
});
