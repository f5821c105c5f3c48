import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

// As a merchant gets it: packed, unpacked under node_modules, far from the workspace.
beforeAll(async () => {
  await buildPackage(join(folder, 'dist'));
  const env = { ...process.env, npm_config_cache: join(folder, 'cache') };
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  execFileSync('npm', pack, { cwd: join(folder, 'dist'), env });
  mkdirSync(installed, { recursive: true });
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync('tar', ['-xzf', join(folder, packed), '--strip-components=1', '-C', installed]);
  writeFileSync(join(consumer, 'package.json'), '{"type":"module"}');
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** What the compiler says about a merchant's file; empty when it is content. */
function typeErrors(text: string, options: { types: string[]; lib: string[] }): string {
  writeFileSync(join(consumer, 'shop.ts'), text);
  const compilerOptions = {
    ...options,
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
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

const browserLike = { types: [], lib: ['es2022', 'dom', 'dom.iterable'] };
const nodeLike = { types: ['node'], lib: ['es2022'] };

const shop = `
import { Svc, SvcError, type Payment, type WebhookEvent } from '@svc/server';
const svc = new Svc('sk', { apiVersion: '2026-10-28.endive', clientId: 'c', apiToken: 't' });
export async function run(id: string): Promise<Payment> {
  const session = await svc.checkout.sessions.create({
    currency: 'EUR',
    products: [{ code: 'mug', quantity: 1 }],
    account: { userId: 'u', email: 'a@example.com', country: 'DE' },
    captureMethod: 'manual',
  });
  if ('redirectUrl' in session) session.redirectUrl.trim();
  const captured = await svc.request('PUT', \`/v1/payments/\${id}/capture\`, {}, { idempotencyKey: 'k' });
  captured.lastResponse.statusCode.toFixed();
  const { data } = await svc.request('GET', '/v1/payments?limit=5');
  return data[0] ?? captured;
}
export function name(event: WebhookEvent): string {
  switch (event.type) {
    case 'item.purchased': return event.data.object.items[0]?.code ?? '';
    case 'payment.authorized': return event.data.object.authorizationExpiresAt ?? '';
    default: return event.type;
  }
}
export const isOurs = (error: unknown): boolean => error instanceof SvcError && error.type === 'api_error';
`;

describe('the packed package', () => {
  it('depends on nothing and names nothing of the workspace', () => {
    const names = readdirSync(installed).filter((name) => name !== 'LICENSE');
    expect(names.sort()).toEqual(['README.md', 'index.d.ts', 'index.js', 'package.json']);
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({
      name: '@svc/server',
      version: '1.5.0',
      license: 'Apache-2.0',
    });
    expect(Object.keys(manifest).filter((key) => /ependencies|private|scripts/.test(key))).toEqual(
      [],
    );
    const code = readFileSync(join(installed, 'index.js'), 'utf8');
    expect(new Set(code.match(/from ["'][^"']+["']/g))).toEqual(new Set(['from "node:crypto"']));
    const types = readFileSync(join(installed, 'index.d.ts'), 'utf8');
    expect(types).not.toMatch(/^import |@svc\/contract|typebox|: any\b|<any>/m);
  });

  it('runs in plain Node', () => {
    const script = `
      import { Svc, SvcError } from '@svc/server';
      const svc = new Svc('sk');
      const payload = '{"id":"evt_1","type":"item.purchased","data":{}}';
      const secret = 'svc_whsec_x';
      const header = svc.webhooks.generateTestHeader({ payload, secret });
      const { id } = svc.webhooks.constructEvent(payload, header, secret);
      try { new Svc(''); } catch (error) { console.log(id, error instanceof SvcError, error.name); }
    `;
    writeFileSync(join(consumer, 'shop.mjs'), script);
    const out = execFileSync(process.execPath, [join(consumer, 'shop.mjs')], { encoding: 'utf8' });
    expect(out).toBe('evt_1 true SvcAuthenticationError\n');
  });

  it.each([
    ["Node's types", nodeLike],
    ["the browser's types", browserLike],
  ])('type-checks alone with %s', (_, options) => {
    expect(typeErrors(shop, options)).toBe('');
  });

  it('refuses what the contract does not have', () => {
    const wrong = `
      import { Svc } from '@svc/server';
      const svc = new Svc('sk');
      svc.request('GET', '/v1/payment');
      svc.checkout.sessions.create({ currency: 'EUR', products: [], account: { userId: 'u' } });
    `;
    const said = typeErrors(wrong, nodeLike);
    expect(said).toMatch(/NoSuchCall<"GET">/);
    expect(said).toMatch(/'email' is missing/);
  });

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
        session: Eq<Published.CheckoutSession, Source.CheckoutSession>;
        status: Eq<Published.SessionStatus, Source.SessionStatus>;
        purchased: Eq<Published.ItemPurchased, Source.ItemPurchased>;
        product: Eq<Published.Product, Source.Product>;
        create: Eq<Published.CreateSessionParams, Source.CreateSessionParams>;
        otherwise: Eq<Published.Payment, Omit<Source.Payment, 'version'>>;
      };
      export const pairs: Pairs = { calls: {}, keys: true, payment: true, event: true, session: true, status: true, purchased: true, product: true, create: true, otherwise: false };
    `;
    const options = { types: ['node'], lib: ['es2024', 'esnext.disposable'] };
    expect(typeErrors(same, options)).toBe('');
  }, 60_000);
});
