// What the check of the version finds, on a copy of the files that it reads.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { checkVersion } from './version.ts';

const root = join(import.meta.dirname, '../../..');
const tree = mkdtempSync(join(tmpdir(), 'svc-version-'));
afterAll(() => rmSync(tree, { recursive: true }));

const { version, workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  workspaces: string[];
};
const texts = [
  'contract/src/version.ts',
  'libraries/server/src/options.ts',
  'README.md',
  'docs/reference/browser-library.md',
  'docs/reference/server-library.md',
];
const manifests = [
  ...workspaces,
  'libraries/cli',
  'integrations/medusa',
  'integrations/vendure',
].map((folder) => `${folder}/package.json`);

beforeEach(() => {
  for (const path of [
    'package.json',
    'package-lock.json',
    'CHANGELOG.md',
    ...texts,
    ...manifests,
  ]) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    cpSync(join(root, path), join(tree, path));
  }
});

function rewrite(path: string, from: string, to: string): void {
  const text = readFileSync(join(tree, path), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(tree, path), text.replace(from, to));
}

it('passes this project, whose version is before the first release', () => {
  expect(checkVersion(root)).toEqual([]);
  expect(version).toMatch(/^0\.\d+\.\d+$/);
});

it.each(texts)('refuses another version in %s', (path) => {
  rewrite(path, version, '9.9.9');
  expect(checkVersion(tree)).toContain(`${path} does not show ${version}`);
});

it('refuses a lock file and a changelog of another version', () => {
  rewrite('package-lock.json', `"version": "${version}"`, '"version": "9.9.9"');
  rewrite('CHANGELOG.md', `## ${version}`, '## 9.9.9');
  expect(checkVersion(tree)).toEqual([
    `package-lock.json is not of ${version}: npm install`,
    `CHANGELOG.md has no heading for ${version}`,
    'Mend: node tools/src/checks/version.ts --write',
  ]);
});

it('refuses a package with a version of its own, or that names one of a neighbour', () => {
  rewrite('vault/package.json', '"private"', '"version": "0.1.0",\n  "private"');
  rewrite('vault/package.json', '"@svc/contract": "*"', '"@svc/contract": "0.1.0"');
  expect(checkVersion(tree).slice(0, 2)).toEqual([
    'vault/package.json has a version of its own',
    'vault/package.json names @svc/contract 0.1.0, not *',
  ]);
});
