import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** The same of the samples in JavaScript, whose pages have elements by id and what came from the server. */
const page = `
import type { ClaimPayload, PaymentAPI } from '@svc/browser';
import type { CardFrame } from '@svc/browser/card-frame';
import type { CardSetupElement } from '@svc/browser/element';
import type { Svc, WebhookEvent } from '@svc/server';
declare global {
  const svc: Svc;
  const api: PaymentAPI;
  const frame: CardFrame;
  const products: ClaimPayload['products'];
  const accountData: ClaimPayload['accountData'];
  const clientId: string;
  const userId: string;
  const email: string;
  const baseUrl: string;
  const sessionId: string;
  const id: string;
  const nonce: string;
  const secret: string;
  const currentUrl: URL;
  const log: Console;
  const out: HTMLElement;
  const said: HTMLElement;
  const save: HTMLElement;
  interface HTMLElementTagNameMap {
    'svc-card-setup': {
      addEventListener(type: string, listener: (event: CustomEvent) => void): void;
    } & CardSetupElement;
  }
  function keep(paymentMethodId: string): void;
  function show(message: string): void;
  function fulfil(event: WebhookEvent): Promise<void>;
}
`;

const blocksOf = (path: string, language: string): string[] =>
  [
    ...readFileSync(join(root, path), 'utf8').matchAll(
      new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'),
    ),
  ].map(([, code = '']) => code);

const examplesOf = (path: string): string[] => blocksOf(path, 'ts');

/** The scripts of a page, with the library under the name that packages know it by. */
const scriptsOf = (html: string): string[] =>
  [...html.matchAll(/<script type="module">\n([\s\S]*?)<\/script>/g)].map(([, code = '']) =>
    code
      .replaceAll("'/svc/index.js'", "'@svc/browser'")
      .replace(/'\/svc\/([\w-]+)\.js'/g, "'@svc/browser/$1'"),
  );

type Sample = { readonly path: string; readonly code: string };

/** Every sample of the guides that is no TypeScript but runs as JavaScript. */
const samplesInJavaScript = (): Sample[] => {
  const guides = readdirSync(join(root, 'docs/guides')).filter((name) => name.endsWith('.md'));
  const pages = [
    ...guides.map((name) => `docs/guides/${name}`),
    ...['server', 'browser'].map((name) => `libraries/${name}/README.md`),
  ];
  return pages.flatMap((path) =>
    [
      ...blocksOf(path, 'js'),
      ...blocksOf(path, 'jsx'),
      ...blocksOf(path, 'html').flatMap(scriptsOf),
    ].map((code) => ({ path, code })),
  );
};

type Kind = {
  readonly config: string;
  readonly globals: string;
  readonly extension: string;
  readonly options: object;
};

const typescript: Kind = {
  config: 'tsconfig.json',
  globals: shop,
  extension: 'ts',
  options: { allowImportingTsExtensions: true, noUnusedLocals: false },
};
/** A sample has no types of its own, so that the rules about null and inferred types do not apply. */
const javascript: Kind = {
  config: 'tsconfig.browser.json',
  globals: page,
  extension: 'jsx',
  options: {
    ...{
      allowJs: true,
      checkJs: true,
      strict: false,
      exactOptionalPropertyTypes: false,
      noUnusedLocals: false,
    },
    ...{ noUnusedParameters: false },
    ...{ noPropertyAccessFromIndexSignature: false, noUncheckedIndexedAccess: false },
    ...{ jsx: 'react-jsx', jsxImportSource: 'react', types: ['node'] },
  },
};

/** Returns the compiler's errors about the examples, each in a module of its own. */
function complaintsOf(examples: readonly string[], kind: Kind): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-guide-'));
  try {
    writeFileSync(join(folder, 'shop.d.ts'), kind.globals);
    const files = examples.map((code, at) => {
      const name = `example-${at}.${kind.extension}`;
      writeFileSync(join(folder, name), `${code}\nexport {};\n`);
      return name;
    });
    const compilerOptions = {
      ...kind.options,
      paths: {
        '@svc/server': [join(root, 'libraries/server/src/index.ts')],
        '@svc/server/inbox': [join(root, 'libraries/server/src/inbox/inbox.ts')],
        '@svc/browser': [join(root, 'libraries/browser/src/index.ts')],
        '@svc/browser/card-frame': [join(root, 'libraries/browser/src/card-frame/card-frame.ts')],
        '@svc/browser/*': [join(root, 'libraries/browser/src/*.ts')],
        // The packages that a merchant has installed.
        '*': [join(root, 'node_modules/@types/*'), join(root, 'node_modules/*')],
      },
      typeRoots: [join(root, 'node_modules/@types')],
    };
    const config = {
      extends: join(root, kind.config),
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
    const said = complaintsOf([...guide, ...readme, ...inbox, wrong], typescript);
    expect(said.trim().split('\n')).toEqual([expect.stringMatching(/example-15\.ts.*capture/)]);
  });

  it('in JavaScript, in React and in pages fit the types of the libraries, and a wrong one does not', () => {
    const samples = samplesInJavaScript();
    const wrong = 'new CardSetup({ baseUrl, sessionId, nonce, onSucces: () => {} });';
    const imported = `import { CardSetup } from '@svc/browser';\n${wrong}`;
    const said = complaintsOf([...samples.map(({ code }) => code), imported], javascript);
    const named = said.replace(/example-(\d+)/g, (name, at) => samples[at]?.path ?? name);
    expect(named.trim().split('\n')).toEqual([
      expect.stringMatching(new RegExp(`example-${samples.length}\\.jsx.*onSucces`)),
    ]);
    expect(samples.length).toBeGreaterThanOrEqual(14);
  });
});
