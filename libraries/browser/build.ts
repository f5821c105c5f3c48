// Builds what merchants install into dist/: `node libraries/browser/build.ts`. The code is bundled,
// the types are written out from the contract, so the package depends on nothing.

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CheckoutSession,
  CheckoutSessionStatus,
  ClaimCheckoutSession,
  CreateCheckoutSession,
  CreatedCheckoutSession,
  ProcessAnswer,
  ProcessBody,
} from '@svc/contract/checkout-sessions/checkout-sessions';
import { SetupAnswer, SetupIntent } from '@svc/contract/customers/card-setups';
import { PaymentIntent } from '@svc/contract/payments/payment-intents';
import { describePackage, entryPoint, mainEntry, manifestOf } from '@svc/tools/published-package';
import { type Schema, writeTypes } from '@svc/tools/published-types';
import { type OutputOptions, rolldown } from 'rolldown';

/** What can be imported, by its name in the package: the file in src/. */
const entries = {
  '.': 'index',
  './card-frame': 'card-frame/card-frame',
  './element': 'element',
  './react': 'react',
};

const here = dirname(fileURLToPath(import.meta.url));

async function bundle(outDir: string): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(
      Object.values(entries).map((file) => [basename(file), join(here, `src/${file}.ts`)]),
    ),
    // The merchant's own, and of ./react alone.
    external: ['react'],
    // The bundler warns that 'use client' may get lost; a test checks that it is kept.
    checks: { moduleLevelDirective: false },
    platform: 'browser',
    transform: { target: 'es2022' },
    treeshake: true,
  });
  // Code shared by parts must not stand in a file that loads parts: a bundler would then keep every
  // part, also in a page that uses none.
  const shared = /[\\/](svc-error|load-part|setup-results)\.ts$/;
  const written: OutputOptions = {
    codeSplitting: { groups: [{ name: 'svc-error', test: shared }] },
    minify: true,
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: ({ facadeModuleId }) =>
      /[\\/]texts[\\/]\w\w\.ts$/.test(facadeModuleId ?? '') ? 'texts/[name].js' : '[name].js',
  };
  await build.write({ ...written, dir: outDir, format: 'esm' });
  // The same again for `require`; its folder says what its modules are.
  await build.write({ ...written, dir: join(outDir, 'cjs'), format: 'cjs', exports: 'named' });
  await build.close();
}

/** Declarations of the sources, but of wire.ts the types themselves in place of its imports. */
function declare(outDir: string): void {
  const root = dirname(fileURLToPath(import.meta.resolve('typescript/package.json')));
  const options = {
    declaration: true,
    emitDeclarationOnly: true,
    outDir,
    rootDir: join(here, 'src'),
    target: 'es2022',
    lib: 'es2022,dom,dom.iterable',
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noCheck: true,
    types: 'node',
  };
  const files = Object.values(entries).map((name) => join(here, `src/${name}.ts`));
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const compiler = join(root, 'bin/tsc');
  execFileSync(process.execPath, [compiler, '--ignoreConfig', ...files, ...flags], { cwd: here });
  writeFileSync(join(outDir, 'api/wire.d.ts'), wireTypes());
}

/** The types of wire.ts without an import: from the schemas, and the form's messages as they are. */
export function wireTypes(): string {
  const schemas = {
    CheckoutSession,
    CheckoutSessionStatus,
    ClaimCheckoutSession,
    CreateCheckoutSession,
    CreatedCheckoutSession,
    PaymentIntent,
    ProcessAnswer,
    ProcessBody,
    SetupAnswer,
    SetupIntent,
  };
  const messages = fileURLToPath(import.meta.resolve('@svc/contract/vault/form-messages'));
  const written = writeTypes(schemas as unknown as Record<string, Schema>);
  return `${written}\n${readFileSync(messages, 'utf8')}`;
}

/** A manifest that needs no other package; npm publishes the folder dist/. */
function describe(outDir: string): void {
  const { sideEffects, peerDependencies, peerDependenciesMeta } = manifestOf(here);
  const paths = Object.entries(entries).map(([path, file]) => [
    path,
    entryPoint(file, basename(file)),
  ]);
  describePackage(here, outDir, {
    // On a server it is only imported, for rendering.
    engines: { node: '>=20' },
    sideEffects,
    ...mainEntry,
    exports: { ...Object.fromEntries(paths), './package.json': './package.json' },
    ...{ peerDependencies, peerDependenciesMeta },
  });
}

/** The declarations once more beside the modules for `require`. */
function completeForRequire(outDir: string): void {
  const forRequire = join(outDir, 'cjs');
  for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.d.ts')) cpSync(join(outDir, name), join(forRequire, name));
  }
}

/** Builds into `dist`, whole or not at all. */
export async function buildLibrary(dist = join(here, 'dist')): Promise<void> {
  const fresh = `${dist}.${process.pid}`;
  try {
    await bundle(fresh);
    declare(fresh);
    completeForRequire(fresh);
    describe(fresh);
    if (existsSync(dist)) rmSync(dist, { recursive: true });
    renameSync(fresh, dist);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await buildLibrary();
  process.stdout.write('libraries/browser/dist is built\n');
}
