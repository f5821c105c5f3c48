// The packages that merchants install, built and read. Without their shops they cannot be loaded: `proof/shops` does that.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildMedusaPlugin } from './medusa/build.ts';
import { buildVendurePlugin } from './vendure/build.ts';

const plugins = {
  medusa: {
    build: buildMedusaPlugin,
    shop: '@medusajs/medusa',
    imports: ['@medusajs/framework/utils', '@svc/server', '@svc/server/shops'],
    // Medusa looks for these by their place, and loads them by `require`.
    placed: ['api/middlewares', 'api/store/svc/cards/route', 'jobs/settle-payments'].concat(
      'subscribers/refund-news',
    ),
  },
  vendure: {
    build: buildVendurePlugin,
    shop: '@vendure/core',
    imports: [
      ...['@nestjs/common', '@nestjs/graphql', '@svc/server', '@svc/server/shops'],
      ...['@vendure/core', 'graphql'],
    ],
    placed: [],
  },
};

describe.each(Object.entries(plugins))('@svc/%s', (name, { build, shop, imports, placed }) => {
  const folder = mkdtempSync(join(tmpdir(), `svc-${name}-`));
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const places = placed.map((place) => `.medusa/server/src/${place}.js`);

  beforeAll(() => build(folder));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has modules for both kinds, declarations beside both, and nothing of the repository', () => {
    const { version, dependencies, peerDependencies, exports } = JSON.parse(read('package.json'));
    expect(dependencies).toEqual({ '@svc/server': version });
    expect(Object.keys(peerDependencies)).toContain(shop);
    for (const file of Object.values(exports['.']).flatMap((one) => Object.values(one as object))) {
      expect(read(file)).not.toMatch(/\.\.\/|\.ts'/);
    }
    expect(Object.keys(exports)).toEqual([
      '.',
      ...places.map((place) => `./${place}`),
      './package.json',
    ]);
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'storefront.ts']),
    );
  });

  it('has modules as Node reads them', () => {
    for (const file of ['index.js', 'cjs/index.js', ...places]) {
      const { status, stderr } = spawnSync(process.execPath, ['--check', join(folder, file)]);
      expect([file, status, String(stderr)]).toEqual([file, 0, '']);
    }
    const kinds = ['cjs', ...new Set(places.map((place) => place.split('/')[0] ?? ''))];
    for (const kind of kinds) expect(read(`${kind}/package.json`)).toContain('"commonjs"');
    for (const place of places) expect(read(place)).toContain('(exports,');
  });

  it('leaves the shop and the library outside', () => {
    const imported = [...read('index.js').matchAll(/from "([^"]+)"/g)].map(([, from]) => from);
    expect([...new Set(imported)].sort()).toEqual(imports);
  });
});
