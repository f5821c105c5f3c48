// The packages that merchants install, from a version to a registry:
//   node deploy/publish.ts bump 0.2.0   writes the version where it stands, commits and tags; CHANGELOG.md comes first
//   node deploy/publish.ts pack         builds and packs them into dist/packages
//   node deploy/publish.ts send         sends what `pack` has made; npm reads the token from NODE_AUTH_TOKEN or .npmrc
// `SVC_REPOSITORY` is the address of the sources, which provenance shows; `send` hands its other flags to npm.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildMedusaPlugin } from '../integrations/medusa/build.ts';
import { buildVendurePlugin } from '../integrations/vendure/build.ts';
import { buildLibrary } from '../libraries/browser/build.ts';
import { buildCommand } from '../libraries/cli/build.ts';
import { buildPackage } from '../libraries/server/build.ts';
import { buildSandbox } from '../sandbox/build.ts';
import { buildStarter } from './starter.ts';
import { root } from './tree.ts';

const builds = {
  browser: { build: buildLibrary, folder: 'libraries/browser' },
  server: { build: buildPackage, folder: 'libraries/server' },
  cli: { build: buildCommand, folder: 'libraries/cli' },
  sandbox: { build: buildSandbox, folder: 'sandbox' },
  medusa: { build: buildMedusaPlugin, folder: 'integrations/medusa' },
  vendure: { build: buildVendurePlugin, folder: 'integrations/vendure' },
  svc: { build: buildStarter, folder: 'deploy' },
} as const;

const packagesFolder = join(root, 'dist/packages');

/** Adds what a registry shows of a package: where its sources are, and that a build proves it. */
function addOrigin(dist: string, directory: string, repository: string): void {
  const file = join(dist, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
  const origin = {
    repository: { type: 'git', url: repository, directory },
    publishConfig: { access: 'public', provenance: true },
  };
  writeFileSync(file, `${JSON.stringify({ ...manifest, ...origin }, null, 2)}\n`);
}

/** Builds and packs each package into the folder, which is emptied first. Returns the tarballs. */
export async function packAll(folder: string, repository: string): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, { build, folder: directory }] of Object.entries(builds)) {
    const dist = join(folder, name);
    mkdirSync(dist, { recursive: true });
    await build(dist);
    addOrigin(dist, directory, repository);
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
      ...{ cwd: dist, stdio: 'pipe' },
    });
  }
  return tarballs(folder);
}

const tarballs = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.tgz'))
    .sort()
    .map((name) => join(folder, name));

/** Sends each tarball by npm, with flags such as `--registry URL`. */
export function sendAll(
  folder: string,
  flags: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): void {
  for (const file of tarballs(folder)) {
    execFileSync('npm', ['publish', file, ...flags], { env, cwd: folder, stdio: 'pipe' });
  }
}

/**
 * Writes the version into every text of the checkout that shows it, commits and tags. Throws before it writes
 * anything where there are changes, or the changelog does not say what the version brings.
 */
export function bump(place: string, version: string): void {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) throw new Error(`"${version}" is no version`);
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: place, encoding: 'utf8', stdio: 'pipe' }).trim();
  if (git('status', '--porcelain') !== '') throw new Error('there are changes to commit first');
  if (!readFileSync(join(place, 'CHANGELOG.md'), 'utf8').includes(`\n## ${version}`)) {
    throw new Error(`CHANGELOG.md has no heading "## ${version}"`);
  }
  // The lock file names it twice before any package: its own and that of the root.
  for (const [name, most] of [
    ['package.json', 1],
    ['package-lock.json', 2],
  ] as const) {
    const file = join(place, name);
    let left: number = most;
    const text = readFileSync(file, 'utf8').replace(/"version": "[^"]+"/g, (found) => {
      left -= 1;
      return left < 0 ? found : `"version": "${version}"`;
    });
    writeFileSync(file, text);
  }
  const args = ['tools/src/checks/version.ts', '--write'];
  execFileSync(process.execPath, args, { cwd: place, stdio: 'pipe' });
  git('commit', '-qam', `build: release ${version}`);
  git('tag', '-a', `v${version}`, '-m', `svc ${version}`);
}

async function run([step = '', ...rest]: readonly string[]): Promise<string> {
  if (step === 'bump') {
    bump(root, rest[0] ?? '');
    return `v${rest[0]} is tagged: pack it, push the tag, send it`;
  }
  if (step === 'pack') {
    const repository = process.env.SVC_REPOSITORY;
    if (!repository) throw new Error('SVC_REPOSITORY must name the sources, as git+https://…');
    return (await packAll(packagesFolder, repository)).join('\n');
  }
  if (step === 'send') {
    sendAll(packagesFolder, rest);
    return 'sent';
  }
  throw new Error('node deploy/publish.ts bump VERSION | pack | send [npm flags]');
}

if (import.meta.main) {
  try {
    process.stdout.write(`${await run(process.argv.slice(2))}\n`);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: Buffer };
    process.stderr.write(`publish: ${stderr?.toString() || message}\n`);
    process.exitCode = 1;
  }
}
