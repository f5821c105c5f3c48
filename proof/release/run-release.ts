// The layer `release`: builds a release twice and installs it from nothing in each way, with real parts:
// Debian packages in a Debian made by mmdebstrap, the image under podman. Missing tools are installed by name.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../contract/src/version.ts';
import { buildDebs } from '../../deploy/deb.ts';
import { buildImage, makeContext } from '../../deploy/image.ts';
import { buildTree, root } from '../../deploy/tree.ts';
import { machineEnv as env, isInstalled, machineMissing, runInMachine } from '../kit/machine.ts';

const tools = [
  ...['debhelper', 'lintian', 'reprepro', 'gnupg', 'mmdebstrap', 'binutils'],
  ...['buildah', 'podman', 'podman-compose', 'crun', 'iproute2'],
];
const included = 'postgresql,systemd,ca-certificates,procps,caddy';

type Options = { readonly signal: AbortSignal; readonly onProgress: (done: number) => void };
type Step = {
  readonly name: string;
  readonly saw?: string;
  readonly problem?: string;
  readonly ms: number;
};

/** Steps before and in the machine. */
export const releaseSteps = 19;

/** The image after this one: the same code with a higher version. */
const next = `${version}.1`;

export async function runRelease({ onProgress }: Options) {
  const result = (steps: readonly Step[], notRun?: string) => ({
    done: steps.filter(({ problem }) => problem === undefined).length,
    violations: steps.flatMap(({ name, problem }) => (problem ? [`${name}: ${problem}`] : [])),
    sometimes: {},
    commands: steps.map(
      ({ name, saw, ms }) => `${name}: ${saw ?? 'no'} (${(ms / 1000).toFixed(1)} s)`,
    ),
    ...(notRun ? { notRun } : {}),
  });
  const missing = machineMissing();
  if (missing) return result([], missing);
  const folder = mkdtempSync(join(tmpdir(), 'svc-release-'));
  const steps: Step[] = [];
  const told = (step: Step) => onProgress(steps.push(step));
  try {
    await prepare(folder, told);
    const failure = await runInMachine({
      ...{ main: join(import.meta.dirname, 'main.ts'), args: [folder, version, next] },
      told: (line) => told(JSON.parse(line) as Step),
    });
    if (failure && !steps.at(-1)?.problem) told({ name: 'machine', problem: failure, ms: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return result(steps);
}

async function prepare(folder: string, told: (step: Step) => void): Promise<void> {
  const timed = async (name: string, work: () => unknown) => {
    const from = performance.now();
    const saw = String((await work()) ?? '');
    told({ name, saw, ms: Math.round(performance.now() - from) });
  };
  const tree = join(folder, 'tree');
  await timed('tools', () => installTools());
  await timed('tree, twice the same bytes', async () => {
    await buildTree(join(folder, 'first'), version);
    await buildTree(tree, version);
    const [first, second] = [sumOf(join(folder, 'first')), sumOf(tree)];
    if (first !== second) throw new Error('two builds of one commit differ');
    return first.slice(0, 12);
  });
  await timed('packages, and lintian has nothing to say', () => {
    for (const each of ['0.0.9', version]) {
      const debs = buildDebs({ tree, version: each, folder });
      execFileSync('lintian', ['--fail-on', 'error,warning', '--allow-root', ...debs], {
        stdio: 'pipe',
        env,
      });
    }
  });
  await timed('image by buildah', () => {
    makeContext({ tree, folder: join(folder, 'image') });
    const places = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
    const flags = ['--storage-driver', 'vfs', ...places];
    const context = join(folder, 'image');
    buildImage({ version, folder: context }, flags);
    const file = join(context, 'svc/contract/src/version.ts');
    writeFileSync(file, readFileSync(file, 'utf8').replace(`'${version}'`, `'${next}'`));
    buildImage({ version: next, folder: context }, flags);
  });
  copyBase(folder);
  mkdirSync(join(folder, 'root'));
}

function installTools(): void {
  const missing = tools.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'pipe', env });
  const flags = ['-y', '-qq', '--no-install-recommends'];
  execFileSync('apt-get', ['install', ...flags, ...missing], { stdio: 'pipe', env });
}

const shortSum = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 8);

/** A Debian with PostgreSQL, made once and kept in the cache. */
function copyBase(folder: string): void {
  const kept = join(root, `.cache/release/base-${shortSum(included)}.tar`);
  if (!existsSync(kept)) {
    mkdirSync(join(root, '.cache/release'), { recursive: true });
    const args = [
      '--quiet',
      '--variant=minbase',
      `--include=${included}`,
      'bookworm',
      `${kept}.new.tar`,
    ];
    execFileSync('mmdebstrap', args, { stdio: 'pipe', env });
    renameSync(`${kept}.new.tar`, kept);
  }
  execFileSync('cp', [kept, join(folder, 'base.tar')]);
}

function sumOf(folder: string): string {
  const args = ['--sort=name', '--owner=0', '--group=0', '-C', folder, '-cf', '-', '.'];
  return createHash('sha256')
    .update(execFileSync('tar', args, { maxBuffer: 1 << 30 }))
    .digest('hex');
}
