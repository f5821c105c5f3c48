// The image: the Containerfile, built by buildah from nothing, a tree and the libraries of Debian that
// Node needs.

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { settle, sourceTime } from './tree.ts';

const triple =
  { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }[process.arch as string] ?? '';
const loader =
  { x64: 'lib64/ld-linux-x86-64.so.2', arm64: 'lib/ld-linux-aarch64.so.1' }[
    process.arch as string
  ] ?? '';
const packages = ['libc6', 'libstdc++6', 'libgcc-s1'];
const libraries = [
  ...['libc', 'libm'].map((name) => `${name}.so.6`),
  ...['libdl.so.2', 'libpthread.so.0', 'libgcc_s.so.1', 'libstdc++.so.6'],
  ...['libresolv.so.2', 'libnss_dns.so.2', 'libnss_files.so.2'],
];

type Build = { readonly tree: string; readonly version: string; readonly folder: string };

/** Writes the folder that the Containerfile is built in. */
export function makeContext({ tree, folder }: Omit<Build, 'version'>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(tree, join(folder, 'svc'), {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
  });
  makeBase(join(folder, 'base'));
  for (const name of ['keys', 'state', 'backups']) {
    mkdirSync(join(folder, 'volumes', name), { recursive: true });
  }
  settle(join(folder, 'volumes'), sourceTime());
  copyFileSync(join(import.meta.dirname, 'Containerfile'), join(folder, 'Containerfile'));
}

function makeBase(base: string): void {
  const unpacked = `${base}.debian`;
  mkdirSync(unpacked, { recursive: true });
  unpack(packages, unpacked);
  // Their licences stand in a package of the compiler, to which their folders are links.
  const compiler = readlinkSync(join(unpacked, 'usr/share/doc/libstdc++6'));
  unpack([compiler], unpacked);
  const take = (from: string, to: string) => {
    mkdirSync(dirname(join(base, to)), { recursive: true });
    cpSync(join(unpacked, from), join(base, to), { recursive: true, dereference: true });
  };
  for (const name of libraries) take(placeOf(unpacked, name), `lib/${triple}/${name}`);
  take(`lib/${triple}/${loader.split('/').at(-1)}`, loader);
  for (const name of packages) take(`usr/share/doc/${name}`, `usr/share/doc/${name}`);
  rmSync(unpacked, { recursive: true });
  mkdirSync(join(base, 'etc'));
  writeFileSync(join(base, 'etc/passwd'), 'svc:x:10001:10001:svc:/svc:/nonexistent\n');
  writeFileSync(join(base, 'etc/group'), 'svc:x:10001:\n');
  writeFileSync(join(base, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  settle(base, sourceTime());
}

function unpack(names: readonly string[], folder: string): void {
  const fetched = join(folder, 'fetched');
  mkdirSync(fetched);
  execFileSync('apt-get', ['download', ...names], { cwd: fetched, stdio: 'pipe' });
  for (const name of readdirSync(fetched)) {
    execFileSync('dpkg-deb', ['-x', join(fetched, name), folder]);
  }
  rmSync(fetched, { recursive: true });
}

const placeOf = (unpacked: string, name: string): string =>
  [`lib/${triple}/${name}`, `usr/lib/${triple}/${name}`].find((path) =>
    readdirSync(join(unpacked, dirname(path))).includes(name),
  ) ?? name;

/** Builds the image `svc:<version>` into buildah's storage. `flags` come before its command. */
export function buildImage(
  { version, folder }: Omit<Build, 'tree'>,
  flags: readonly string[],
): void {
  const about = ['--format', 'docker', '--timestamp', String(sourceTime())];
  const args = [
    'bud',
    ...about,
    '--build-arg',
    `VERSION=${version}`,
    '-t',
    `svc:${version}`,
    folder,
  ];
  execFileSync('buildah', [...flags, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
}
