import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkVersion } from '../tools/src/checks/version.ts';
import { bump } from './publish.ts';
import { root } from './tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-bump-'));
const clone = join(folder, 'clone');
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: clone, encoding: 'utf8', stdio: 'pipe' }).trim();

beforeAll(() => {
  execFileSync('git', ['clone', '-q', '--shared', root, clone], { stdio: 'pipe' });
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  appendFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  for (const [name, value] of [
    ['user.name', 'release'],
    ['user.email', 'release@shop.example'],
  ] as const) {
    git('config', name, value);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

it('writes nothing while the changelog does not name the version', () => {
  expect(() => bump(clone, '9.8.7')).toThrow('CHANGELOG.md has no heading "## 9.8.7"');
  expect(() => bump(clone, 'next')).toThrow('"next" is no version');
  expect(git('status', '--porcelain')).toBe('');
});

it('writes the version wherever it stands, commits and tags', () => {
  appendFileSync(join(clone, 'CHANGELOG.md'), '\n## 9.8.7\n');
  expect(() => bump(clone, '9.8.7')).toThrow('there are changes to commit first');
  git('commit', '-qam', 'docs: say what the version brings');
  bump(clone, '9.8.7');
  expect(checkVersion(clone)).toEqual([]);
  expect(git('show', '-s', '--format=%s', 'v9.8.7^{commit}')).toBe('build: release 9.8.7');
  expect(git('status', '--porcelain')).toBe('');
});
