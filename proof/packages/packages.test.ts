// What merchants install, tried where they install it: Node by `import` and by `require`, a worker,
// a bundled page, TypeScript. `npm run packages` tries the remaining combinations too.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  compileProject,
  type Fixture,
  findNodes,
  openFixture,
  type PackageName,
  packageNames,
  root,
} from './fixture.ts';
import { bundlePage, openProvider, type Provider, runInWorker } from './places.ts';
import {
  cjsProgram,
  esmProgram,
  pageProgram,
  programAnswer,
  typedProgram,
  workerProgram,
  wrongProgram,
} from './programs.ts';
import { describeLibrary } from './reference.ts';

let fixture: Fixture;
let provider: Provider;
beforeAll(async () => {
  [fixture, provider] = await Promise.all([openFixture(), openProvider()]);
}, 120_000);
afterAll(async () => {
  fixture?.close();
  await provider?.close();
});

describe('the packed packages', () => {
  it.each(packageNames)('%s: publint has nothing to say', async (name) => {
    const pkgDir = fixture.installed[name];
    const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
    expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
  });

  it('browser and cli depend on nothing, server on the SDK of the card provider, sandbox on fastify', () => {
    const manifest = (name: PackageName) =>
      JSON.parse(readFileSync(join(fixture.installed[name], 'package.json'), 'utf8')) as object;
    expect(manifest('browser')).not.toHaveProperty('dependencies');
    expect(manifest('server')).toHaveProperty('dependencies', { stripe: '23.1.0' });
    expect(manifest('cli')).not.toHaveProperty('dependencies');
    expect(manifest('sandbox')).toHaveProperty('dependencies', { fastify: '5.12.8' });
    expect(manifest('cli')).toMatchObject({ bin: { svc: './bin/svc.js' }, license: 'Apache-2.0' });
    for (const name of ['browser', 'server'] as const) {
      expect(manifest(name)).toMatchObject({ sideEffects: false, license: 'Apache-2.0' });
    }
    for (const name of packageNames) {
      expect(manifest(name)).not.toHaveProperty('scripts');
      expect(manifest(name)).not.toHaveProperty('private');
    }
  });

  it.each(packageNames)('%s names nothing of the workspace', (name) => {
    const odd = /@svc\/(contract|tools|service)|typebox|\.ts["']\)|file:\/\//;
    for (const file of (fixture.packed[name] ?? []).filter((path) =>
      /\.(js|ts|json)$/.test(path),
    )) {
      const text = readFileSync(join(fixture.installed[name], file), 'utf8');
      expect([file, odd.exec(text)?.[0]]).toEqual([file, undefined]);
    }
  });

  it.each(['browser', 'server'] as const)('%s: docs/reference shows what is packed', (name) => {
    const page = readFileSync(join(root, `docs/reference/${name}-library.md`), 'utf8');
    const isCurrent = page === describeLibrary(fixture.installed[name]);
    expect(isCurrent, 'npm run packages -- --write').toBe(true);
  });

  it.each([
    ['browser', 'FormField'],
    ['server', 'HandlerOptions'],
  ])('%s: docs/reference shows types that are only named, and nothing protected', (name, type) => {
    const page = readFileSync(join(root, `docs/reference/${name}-library.md`), 'utf8');
    expect(page).toContain(`\n### \`${type}\`\n`);
    expect(page).not.toMatch(/^(protected|private) /m);
  });

  it('carries no source, no test and no map', () => {
    const all = Object.values(fixture.packed).flat();
    expect(
      all.filter((path) => !/(\.js|\.d\.ts|package\.json|README\.md|LICENSE)$/.test(path)),
    ).toEqual([]);
    expect(all.filter((path) => /test|\.map$/.test(path))).toEqual([]);
    expect(all.filter((path) => path === 'README.md')).toHaveLength(packageNames.length);
    expect(all.filter((path) => path === 'LICENSE')).toHaveLength(packageNames.length);
  });
});

describe('Node', () => {
  // Not synchronous, because the provider that the program calls runs in this process.
  const run = async (node: string, files: Record<string, string>) => {
    const project = fixture.project('node', files);
    const [file = ''] = Object.keys(files);
    const args = [join(project, file), provider.url, provider.secretKey, provider.session];
    const { stdout } = await promisify(execFile)(node, args, { timeout: 15_000 });
    return JSON.parse(stdout) as object;
  };

  it.each(findNodes())('$version: import', async ({ path }) => {
    expect(await run(path, { 'shop.mjs': esmProgram })).toEqual(programAnswer);
  });

  it.each(findNodes())('$version: require', async ({ path }) => {
    expect(await run(path, { 'shop.cjs': cjsProgram })).toEqual(programAnswer);
  });
});

describe('a worker', () => {
  it('verifies deliveries and calls the provider with the globals of the web alone', async () => {
    const project = fixture.project('worker', { 'worker.mjs': workerProgram });
    const said = await runInWorker(join(project, 'worker.mjs'), provider);
    expect(JSON.parse(said)).toEqual(['evt_1', true, 'open', 'function', 'function']);
  });
});

describe('a page bundled by Vite', () => {
  it('that pays loads nothing of card saving: one chunk within 4.1 kB, the page itself included', async () => {
    const project = fixture.project('page', {
      'index.html': '<!doctype html><script type="module" src="/main.mjs"></script>',
      'main.mjs': pageProgram,
    });
    const dist = await bundlePage(project);
    const html = readFileSync(join(dist, 'index.html'), 'utf8');
    const [, first = ''] = /src="\/assets\/([^"]+)"/.exec(html) ?? [];
    const assets = readdirSync(join(dist, 'assets'));
    expect(assets).toEqual([first]);
    const text = readFileSync(join(dist, 'assets', first), 'utf8');
    expect(text).toContain('CurrencyRequired');
    expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(4_100);
  });
});

describe('TypeScript', () => {
  const both = { 'shop.mts': typedProgram, 'shop.cts': typedProgram };

  it.each([
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])('%s: content with all declarations checked', async (moduleResolution, module) => {
    const files = moduleResolution === 'bundler' ? { 'shop.ts': typedProgram } : both;
    const project = fixture.project('types', files);
    const options = { moduleResolution, module, skipLibCheck: false };
    expect(await compileProject(project, options)).toBe('');
  });

  it('refuses what the contract does not have', async () => {
    const project = fixture.project('wrong', { 'wrong.mts': wrongProgram });
    const said = await compileProject(project, {
      moduleResolution: 'nodenext',
      module: 'nodenext',
    });
    expect(said).toMatch(/UnknownCall<"GET">/);
    expect(said).toMatch(/'email' is missing/);
    expect(said).toMatch(/'number' is not assignable to parameter of type 'string'/);
  });
});
