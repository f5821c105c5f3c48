// Builds the package that merchants install into dist/: one module, one file of types, a
// package.json of its own. Nothing in it names the workspace. Run: npm run build -w @svc/server

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { writeContractTypes } from './published-contract.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Writes the publishable package into a folder, which is emptied first. */
export async function buildPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    input: join(here, 'src/index.ts'),
    platform: 'node',
    external: /^node:/,
    transform: { target: 'node20' },
    output: { file: join(folder, 'index.js'), format: 'esm' },
  });
  writeFileSync(join(folder, 'index.d.ts'), declarations());
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(join(here, 'README.md'), join(folder, 'README.md'));
  const licence = join(root, 'LICENSE');
  if (existsSync(licence)) copyFileSync(licence, join(folder, 'LICENSE'));
}

function manifest(): object {
  const own = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  const { name, version, description, license, type } = own;
  return {
    name,
    version,
    description,
    license,
    type,
    engines: { node: '>=20.3' },
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  };
}

/** The declarations of all modules in one file that exports what src/index.ts exports. */
function declarations(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-types-'));
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const project = join(here, 'tsconfig.types.json');
    execFileSync(process.execPath, [compiler, '-p', project, '--outDir', folder], {
      stdio: 'pipe',
    });
    const emitted = join(folder, 'libraries/server/src');
    const modules = readdirSync(emitted)
      .filter((name) => name.endsWith('.d.ts') && name !== 'index.d.ts')
      .map((name) =>
        name === 'contract-types.d.ts'
          ? writeContractTypes()
          : readFileSync(join(emitted, name), 'utf8'),
      );
    const index = readFileSync(join(emitted, 'index.d.ts'), 'utf8');
    return `${modules.map(withoutModuleSyntax).join('\n')}\n${exportList(index)}\n`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withoutModuleSyntax(text: string): string {
  return text
    .replace(/^import [^;]*;\n/gm, '')
    .replace(/^export \{[^}]*\};\n/gm, '')
    .replace(/^export (?=declare|type|interface)/gm, '')
    .replace(/^(?=class|const|function)/gm, 'declare ');
}

function exportList(index: string): string {
  const lists = [...index.matchAll(/export (type )?\{([^}]*)\} from/g)];
  const names = lists.flatMap(([, type = '', list = '']) =>
    list
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
      .map((name) => (name.startsWith('type ') ? name : `${type}${name}`)),
  );
  return `export { ${names.sort().join(', ')} };`;
}

if (import.meta.main) await buildPackage(join(here, 'dist'));
