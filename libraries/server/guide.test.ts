import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What the examples assume: a shop around them. */
const shop = `
import type { Svc } from '@svc/server';
declare global {
  const svc: Svc;
  const order: { id: string; userId: string; email: string; paymentId: string };
  const sessionId: string;
  const nonce: string;
  const accessToken: string;
  let lastSeen: string;
  function redirect(url: string): void;
  function remember(...facts: string[]): Promise<void>;
  function fulfilOnce(...facts: string[]): Promise<void>;
  function tellSupport(id: string): Promise<void>;
  function askAgainLater(id: string): Promise<void>;
  function keepSecret(secret: string): Promise<void>;
}
`;

const examplesOf = (path: string): string[] =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    ([, code = '']) => code,
  );

/** Returns the compiler's errors about the examples, each in a module of its own. */
function complaintsOf(examples: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-guide-'));
  try {
    writeFileSync(join(folder, 'shop.d.ts'), shop);
    const files = examples.map((code, at) => {
      writeFileSync(join(folder, `example-${at}.ts`), `${code}\nexport {};\n`);
      return `example-${at}.ts`;
    });
    const compilerOptions = {
      allowImportingTsExtensions: true,
      noUnusedLocals: false,
      paths: {
        '@svc/server': [join(root, 'libraries/server/src/index.ts')],
        '@svc/server/inbox': [join(root, 'libraries/server/src/inbox/inbox.ts')],
        // The packages that a merchant has installed.
        '*': [join(root, 'node_modules/@types/*')],
      },
      typeRoots: [join(root, 'node_modules/@types')],
    };
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions,
      include: [],
      files: ['shop.d.ts', ...files],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the examples of guides and readme', () => {
  it('compile as they stand, and one that is wrong does not', () => {
    const guide = examplesOf('docs/guides/server-library.md');
    const readme = examplesOf('libraries/server/README.md');
    const inbox = examplesOf('docs/guides/inbox.md');
    expect([guide.length, readme.length, inbox.length]).toEqual([11, 3, 1]);
    const wrong = 'await svc.payments.capture(order.paymentId);';
    const said = complaintsOf([...guide, ...readme, ...inbox, wrong]);
    expect(said.trim().split('\n')).toEqual([expect.stringMatching(/example-15\.ts.*capture/)]);
  });
});
