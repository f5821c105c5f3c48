// Each checker passes on a small sound project and fails on one planted fault.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countTests } from '../levels/tests.ts';
import { deadCode, lint, types } from './index.ts';
import { checkLicences, isAllowed } from './licences.ts';
import { checkLock } from './lock.ts';

const root = join(import.meta.dirname, '../../..');
const configuration = [
  'biome.json',
  'no-bare-dates.grit',
  'no-fixed-waits.grit',
  'knip.json',
  'tsconfig.json',
  'tsconfig.browser.json',
];
const workspaces = ['contract', 'service', 'pages'];
let tree: string;

function plant(path: string, text: string | object): void {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof text === 'string' ? text : `${JSON.stringify(text, null, 2)}\n`);
}

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'svc-planted-'));
  for (const name of configuration) {
    cpSync(join(root, name), join(tree, name));
  }
  mkdirSync(join(tree, 'node_modules/@svc'), { recursive: true });
  for (const name of ['@types', 'pg', 'undici-types', 'pg-types', 'pg-protocol', 'vitest']) {
    symlinkSync(join(root, 'node_modules', name), join(tree, 'node_modules', name));
  }
  symlinkSync('../../contract', join(tree, 'node_modules/@svc/contract'));
  plant('package.json', { name: 'sound', type: 'module', workspaces });
  plant('contract/package.json', {
    name: '@svc/contract',
    type: 'module',
    exports: { './*': './src/*.ts' },
  });
  plant('pages/package.json', { name: '@svc/pages', type: 'module' });
  plant('service/package.json', {
    name: '@svc/service',
    type: 'module',
    dependencies: { '@svc/contract': '1.0.0', pg: '8.0.0' },
  });
  plant('contract/src/errors/errors.ts', 'export const first = 1;\n');
  plant(
    'service/src/main.ts',
    `import { first } from '@svc/contract/errors/errors';
import pg from 'pg';
import { second } from './second.ts';

process.exitCode = first + second + (pg.defaults.poolSize ?? 0);
`,
  );
  plant('service/src/second.ts', 'export const second = 2;\n');
  plant('pages/checkout/main.ts', 'document.title = String(1);\n');
});
afterEach(() => rmSync(tree, { recursive: true }));

describe('types', () => {
  it('passes a sound project', async () => {
    expect(await types(tree)).toBe('');
  });
  it.each([
    ['service/src/second.ts', 'export const second: number = "2";\n', 'TS2322'],
    ['service/src/second.ts', 'export enum second {}\n', 'TS1294'],
    ['service/src/second.ts', 'export const second = [1, 2][0] * 2;\n', 'TS2532'],
    ['service/src/second.ts', 'export const second = document.title.length;\n', 'TS2584'],
    ['pages/checkout/main.ts', 'process.exit();\n', 'TS2591'],
  ])('refuses %s: %s', async (path, text, code) => {
    plant(path, text);
    expect(await types(tree)).toContain(code);
  });
});

describe('lint', () => {
  it('passes a sound project', async () => {
    expect(await lint(tree)).toBe('');
  });
  it.each([
    ['export const second = 2\n', 'format'],
    [`const fs = require('node:fs');\n\nexport const second = fs.constants.F_OK;\n`, 'noCommonJs'],
    [`import './main.ts';\n\nexport const second = 2;\n`, 'noImportCycles'],
    ['export const second = (one: any) => one;\n', 'noExplicitAny'],
    [`export const second = 2;\nconsole.log('2');\n`, 'noConsole'],
    [`import left from 'left-pad';\n\nexport const second = left;\n`, 'noUndeclaredDependencies'],
    ['export default 2;\n', 'noDefaultExport'],
    [`export const second = 2;\n${'second;\n'.repeat(400)}`, 'noExcessiveLinesPerFile'],
    [
      `async function first() {}\n\nexport function second() {\n  first();\n}\n`,
      'noFloatingPromises',
    ],
  ])('refuses %j', async (text, rule) => {
    plant('service/src/second.ts', text);
    expect(await lint(tree)).toContain(rule);
  });
  it('refuses a file name that is not in kebab-case', async () => {
    plant('service/src/secondOne.ts', 'export const second = 2;\n');
    expect(await lint(tree)).toContain('useFilenamingConvention');
  });
  it('refuses a test that alone is run', async () => {
    plant('service/src/x.test.ts', `import { it } from 'vitest';\n\nit.only('x', () => {});\n`);
    expect(await lint(tree)).toContain('noFocusedTests');
  });
});

describe('lint of dates', () => {
  it('refuses text that Date reads; milliseconds and tests pass', async () => {
    const reads = ['new Date(text)', 'Date.parse(text)', 'new Date(text.slice(1))'];
    const sums = [
      'new Date(ms)',
      'new Date(atMs)',
      'new Date(2 * ms)',
      'new Date(Date.UTC(2026, 1))',
    ];
    const source = (reading: string) =>
      `export const at = (text: string, ms: number, atMs: number) => [${reading}, text, ms, atMs];\n`;
    for (const [n, each] of reads.entries()) plant(`service/src/read-${n}.ts`, source(each));
    for (const [n, each] of sums.entries()) plant(`service/src/sum-${n}.ts`, source(each));
    plant('service/src/read.test.ts', source('new Date(text)'));
    const found = (await lint(tree)).match(/^\S+:\d+:\d+ plugin/gm) ?? [];
    expect(found.map((line) => line.split(':')[0]).toSorted()).toEqual(
      reads.map((_, n) => `service/src/read-${n}.ts`),
    );
  }, 60_000);
});

describe('lint of tests', () => {
  it('refuses each kind of fixed wait; what ships may wait', async () => {
    const testSource = (body: string, imports = '') => `import { it } from 'vitest';
${imports}
it('waits', async () => {
  ${body}
});
`;
    const planted = [
      testSource('await new Promise((resolve) => setTimeout(resolve, 100));'),
      testSource('setTimeout(() => {}, 100);'),
      testSource('await page.waitForTimeout(100);', "import { page } from './page.ts';\n"),
      testSource(
        'await pause(100);',
        "import { setTimeout as pause } from 'node:timers/promises';\n",
      ),
    ];
    for (const [n, text] of planted.entries()) plant(`service/src/wait-${n}.test.ts`, text);
    const page = 'export const page = { waitForTimeout: async (_: number) => {} };\n';
    plant('service/src/page.ts', page);
    plant('service/src/second.ts', `export const second = 2;\nsetTimeout(() => {}, second);\n`);
    const found = (await lint(tree)).match(/^\S+:\d+:\d+ plugin/gm) ?? [];
    expect(found.map((line) => line.split(':')[0]).toSorted()).toEqual(
      planted.map((_, n) => `service/src/wait-${n}.test.ts`),
    );
  }, 60_000);
  it('takes a wait for a condition, and real time that has its reason', async () => {
    const imports = `import { expect, it } from 'vitest';\nimport { passTime } from './pass-time.ts';\n`;
    plant(
      'service/src/pass-time.ts',
      'export const passTime = async (_: number, _why: string) => {};\n',
    );
    plant(
      'service/src/x.test.ts',
      `${imports}
it('waits', async () => {
  await passTime(100, 'a slow answer');
  await expect.poll(() => 1).toBe(1);
});
`,
    );
    expect(await lint(tree)).toBe('');
  });
});

describe('dead code', () => {
  it('passes a sound project', async () => {
    expect(await deadCode(tree)).toBe('');
  });
  it('refuses an unused file', async () => {
    plant('service/src/third.ts', 'export const third = 3;\n');
    expect(await deadCode(tree)).toMatch(/Unused files \(1\)\nservice\/src\/third\.ts/);
  });
  it('refuses an unused export', async () => {
    plant('service/src/second.ts', 'export const second = 2;\nexport const third = 3;\n');
    expect(await deadCode(tree)).toMatch(/Unused exports \(1\)\nthird/);
  });
  it('refuses what nobody uses of a package that offers all of its files', async () => {
    plant('contract/src/errors/errors.ts', 'export const first = 1;\nexport const third = 3;\n');
    plant('contract/src/fourth.ts', 'export const fourth = 4;\n');
    expect(await deadCode(tree)).toMatch(/Unused exports \(2\)\nthird .*\nfourth /);
  });
  it('refuses an unused dependency', async () => {
    plant(
      'service/src/main.ts',
      `import { second } from './second.ts';\n\nprocess.exitCode = second;\n`,
    );
    expect(await deadCode(tree)).toMatch(/Unused dependencies \(2\)/);
  });
});

describe('licences', () => {
  const lockOf = (entry: object) =>
    plant('package-lock.json', { packages: { '': {}, 'node_modules/planted': entry } });

  it('passes what this project has installed', () => {
    expect(checkLicences(root)).toEqual([]);
  });
  it('refuses a GPL package, whatever the lock file says of it', () => {
    lockOf({ version: '1.0.0', license: 'MIT' });
    plant('node_modules/planted/package.json', { name: 'planted', license: 'GPL-3.0-only' });
    expect(checkLicences(tree)).toEqual(['node_modules/planted: GPL-3.0-only']);
  });
  it('refuses a package that states none', () => {
    lockOf({ version: '1.0.0' });
    expect(checkLicences(tree)).toEqual(['node_modules/planted: no licence stated']);
  });
  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['(MIT AND GPL-3.0-only)', false],
    ['(MIT AND ISC)', true],
    ['MIT AND (GPL-3.0-only OR ISC)', false],
    ['Apache-2.0 WITH LLVM-exception', true],
    ['MPL-2.0', false],
    ['SEE LICENSE IN LICENSE', false],
  ])('%s: %s', (expression, verdict) => {
    expect(isAllowed(expression)).toBe(verdict);
  });
  it('allows MPL-2.0 for a tool', () => {
    expect(isAllowed('MPL-2.0', true)).toBe(true);
  });
});

describe('lock file', () => {
  it('passes this project', () => {
    expect(checkLock(root)).toEqual([]);
  });
  it('refuses a missing platform and the address of a registry', () => {
    plant('package-lock.json', {
      packages: {
        '': { optionalDependencies: { 'x-darwin-arm64': '1.0.0' } },
        'node_modules/a': { resolved: 'https://registry.invalid/a.tgz' },
      },
    });
    expect(checkLock(tree)).toEqual([
      'the project names x-darwin-arm64 1.0.0: no entry',
      'node_modules/a is bound to https://registry.invalid/a.tgz',
      'Mend: node tools/src/complete-lock.ts',
    ]);
  });
});

describe('the count of tests', () => {
  const report = {
    numPassedTests: 3,
    numFailedTests: 1,
    testResults: [
      { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] },
      { status: 'passed', assertionResults: [{ status: 'passed' }, { status: 'passed' }] },
    ],
  };
  it('counts what vitest counted', () => {
    expect(countTests(report, 1)).toEqual({ passed: 3, failed: 1 });
  });
  it('counts a file that could not be loaded', () => {
    const broken = { status: 'failed', assertionResults: [] };
    const results = [...report.testResults, broken];
    expect(countTests({ ...report, testResults: results }, 1)).toEqual({ passed: 3, failed: 2 });
  });
  it('an error outside of every test, or no report at all, is a failure', () => {
    expect(countTests({ numPassedTests: 2, numFailedTests: 0, testResults: [] }, 1).failed).toBe(1);
    expect(countTests(undefined, 1)).toEqual({ passed: 0, failed: 1 });
  });
});
