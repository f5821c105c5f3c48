// The package that merchants install, built and read. Without Vendure it cannot be loaded: `proof/shops` does that.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildVendurePlugin } from './build.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-vendure-'));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

beforeAll(() => buildVendurePlugin(folder));
afterAll(() => rmSync(folder, { recursive: true }));

it('has modules for both kinds, declarations beside both, and nothing of the repository', () => {
  const { version, dependencies, peerDependencies, exports } = JSON.parse(read('package.json'));
  expect(dependencies).toEqual({ '@svc/server': version });
  expect(Object.keys(peerDependencies)).toContain('@vendure/core');
  for (const file of Object.values(exports['.']).flatMap((one) => Object.values(one as object))) {
    expect(read(file)).not.toMatch(/\.\.\/|\.ts'/);
  }
  expect(readdirSync(folder)).toContain('README.md');
});

it.each(['index.js', 'cjs/index.js'])('%s is a module as Node reads it', (name) => {
  expect(spawnSync(process.execPath, ['--check', join(folder, name)]).status).toBe(0);
});

it('leaves the shop and the library outside', () => {
  const imported = [...read('index.js').matchAll(/from "([^"]+)"/g)].map(([, name]) => name);
  expect(new Set(imported)).toEqual(
    new Set([
      ...['@nestjs/common', '@nestjs/graphql', '@svc/server', '@svc/server/shops'],
      ...['@vendure/core', 'graphql'],
    ]),
  );
});
