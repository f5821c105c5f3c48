// The packages as a merchant gets them: built, packed by npm, and installed by npm from the
// tarballs, offline and outside of the workspace. The card provider's SDK is the workspace's copy.
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { buildLibrary } from '../../libraries/browser/build.ts';
import { buildCommand } from '../../libraries/cli/build.ts';
import { buildPackage } from '../../libraries/server/build.ts';
import { buildSandbox } from '../../sandbox/build.ts';

export const root = join(import.meta.dirname, '../..');

/**
 * Each package: the function that writes it into a folder, and the dependencies that come from the
 * workspace and not from npm.
 */
const packages = {
  browser: { build: buildLibrary, borrows: ['react'] },
  server: { build: buildPackage, borrows: ['stripe'] },
  cli: { build: buildCommand, borrows: [] },
  sandbox: { build: buildSandbox, borrows: ['fastify'] },
} as const;

export type PackageName = keyof typeof packages;

export const packageNames = Object.keys(packages) as PackageName[];

export type Fixture = {
  /** The folder in which the packages are installed, with node_modules. */
  shop: string;
  /** The folders of the installed packages. */
  installed: Readonly<Record<PackageName, string>>;
  /** The names of the packed files of each package. */
  packed: Readonly<Partial<Record<PackageName, string[]>>>;
  /** Creates a folder with these files, in which imports of the packages are resolved. */
  project: (name: string, files: Record<string, string>) => string;
  close: () => void;
};

const run = promisify(execFile);

/**
 * npm's environment without any of npm's own settings except the cache, so that no setting of the
 * workspace affects a test.
 */
export const npmEnv = (folder: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: folder,
  npm_config_cache: join(folder, 'cache'),
  npm_config_update_notifier: 'false',
});

type PackedFiles = { filename: string; files: { path: string }[] };

async function pack(dist: string, folder: string): Promise<PackedFiles> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: dist, env: npmEnv(folder) });
  const answer = JSON.parse(stdout) as PackedFiles[] | Record<string, PackedFiles>;
  const [packed] = Object.values(answer);
  if (!packed) throw new Error(`npm packed nothing: ${stdout}`);
  return packed;
}

/** A dependency that is taken from the workspace and not from the network. */
const workspaceDependency = (name: string): string =>
  `file:${realpathSync(join(root, 'node_modules', name))}`;

async function install(folder: string, tarballs: ReadonlyMap<PackageName, PackedFiles>) {
  const shop = join(folder, 'shop');
  mkdirSync(shop);
  const dependencies = Object.fromEntries(
    [...tarballs].flatMap(([name, { filename }]) => [
      [`@svc/${name}`, `file:../${filename}`],
      ...packages[name].borrows.map((other) => [other, workspaceDependency(other)]),
    ]),
  );
  const manifest = { name: 'shop', version: '1.0.0', private: true, dependencies };
  writeFileSync(join(shop, 'package.json'), JSON.stringify(manifest));
  const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...flags], { cwd: shop, env: npmEnv(folder) });
  return shop;
}

/** Builds, packs and installs the packages offline. */
export async function openFixture(names = packageNames): Promise<Fixture> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-packages-')));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    const made = names.map(async (name) => {
      const dist = join(folder, name);
      await packages[name].build(dist);
      return [name, await pack(dist, folder)] as const;
    });
    const tarballs = new Map(await Promise.all(made));
    const shop = await install(folder, tarballs);
    const packageFolder = (name: PackageName) => join(shop, 'node_modules/@svc', name);
    const packed = [...tarballs].map(([name, { files }]) => [name, files.map(({ path }) => path)]);
    return {
      shop,
      installed: {
        browser: packageFolder('browser'),
        server: packageFolder('server'),
        cli: packageFolder('cli'),
        sandbox: packageFolder('sandbox'),
      },
      packed: Object.fromEntries(packed),
      project: (name, files) => {
        const project = mkdtempSync(join(shop, `${name}-`));
        for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
        return project;
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Returns the running Node, and the machine's own when that is another version. */
export function findNodes(): { version: string; path: string }[] {
  const candidates = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((place) => place !== '' && !place.includes('node_modules'))
    .map((place) => join(place, 'node'))
    .filter((path) => existsSync(path));
  const own = { version: process.version, path: process.execPath };
  const others = candidates.map((path) => ({
    version: execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(),
    path,
  }));
  const all = [own, ...others];
  return all.filter(({ version }, at) => all.findIndex((one) => one.version === version) === at);
}

/** Returns the compiler's errors for a project of these files; empty when there are none. */
export async function compileProject(
  project: string,
  options: Record<string, unknown>,
): Promise<string> {
  const files = readdirSync(project).filter((name) => /\.[mc]?ts$/.test(name));
  const compilerOptions = {
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    typeRoots: [join(root, 'node_modules/@types')],
    types: ['node'],
    lib: ['es2022', 'dom', 'dom.iterable'],
    ...options,
  };
  const config = join(project, `tsconfig.${options.moduleResolution}.${options.skipLibCheck}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  try {
    await run(process.execPath, [compiler, '-p', config]);
    return '';
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (!stdout) throw error;
    return stdout;
  }
}
