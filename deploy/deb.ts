// Debian packages of a tree (debhelper), and an apt repository of them (reprepro).

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { sourceTime } from './tree.ts';

const sources = join(import.meta.dirname, 'debian');
const packages = ['svc', 'svc-vault', 'svc-common'];

type Build = { readonly tree: string; readonly version: string; readonly folder: string };

/** Writes the packages into a folder and returns their files. The version is that of the packages. */
export function buildDebs({ tree, version, folder }: Build): string[] {
  const work = join(folder, `deb-${version}`);
  const place = join(work, 'svc');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  cpSync(sources, join(place, 'debian'), { recursive: true });
  cpSync(tree, join(place, 'tree'), {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
  });
  const preinst = readFileSync(join(sources, 'preinst.in'), 'utf8').replaceAll(
    '#VERSION#',
    version,
  );
  for (const name of packages) {
    writeFileSync(join(place, `debian/${name}.preinst`), preinst.replaceAll('#PACKAGE#', name));
  }
  mkdirSync(join(place, 'debian/source'));
  writeFileSync(join(place, 'debian/source/format'), '3.0 (native)\n');
  writeFileSync(join(place, 'debian/changelog'), changelog(version));
  chmodSync(join(place, 'debian/rules'), 0o755);
  execFileSync('debian/rules', ['binary'], {
    cwd: place,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SOURCE_DATE_EPOCH: String(sourceTime()) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const made = readdirSync(work).filter((name) => name.endsWith('.deb'));
  for (const name of made) renameSync(join(work, name), join(folder, name));
  rmSync(work, { recursive: true });
  return made.map((name) => join(folder, name));
}

function changelog(version: string): string {
  const date = new Date(sourceTime() * 1000).toUTCString().replace('GMT', '+0000');
  return `svc (${version}) unstable; urgency=medium

  * See CHANGELOG.md of this version.

 -- Svc <svc@localhost>  ${date}
`;
}

/** Adds packages to an apt repository, which is made when it is missing. With a key it is signed. */
export function addToRepository(folder: string, debs: readonly string[], key?: string): void {
  mkdirSync(join(folder, 'conf'), { recursive: true });
  const lines = ['Codename: stable', 'Components: main', 'Architectures: amd64 arm64'];
  const about = ['Origin: Svc', ...lines, ...(key ? [`SignWith: ${key}`] : [])];
  writeFileSync(join(folder, 'conf/distributions'), `${about.join('\n')}\n`);
  for (const deb of debs) {
    execFileSync('reprepro', ['-b', folder, '--silent', 'includedeb', 'stable', deb], {
      stdio: 'pipe',
    });
  }
}
