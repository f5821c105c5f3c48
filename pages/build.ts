// Builds the pages into dist/: hashed assets, integrity in the markup, and the script inventory that
// payment pages need (PCI DSS 6.4.3): `node pages/build.ts`. Skipped while no source has changed.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const dist = join(here, 'dist');
const stampName = 'sources.sha384';

/**
 * One bundle per page: a part that two pages share would be loaded by a script, and no markup would name
 * its hash.
 */
const pages = ['checkout', 'customer', 'account', 'dashboard'] as const;
type Page = (typeof pages)[number];
/** Prefixes by which a page's files are recognised; those of the checkout page have none. */
const prefixes: Readonly<Record<Page, string>> = {
  checkout: '',
  customer: 'customer-',
  account: 'account-',
  dashboard: 'dashboard-',
};

const sha384 = (bytes: string | Buffer) => createHash('sha384').update(bytes).digest('base64');

/** Returns one hash over everything from which the bundle is made, including the tools' versions. */
function sourcesHash(): string {
  const hash = createHash('sha384');
  const shared = ['kit', '../libraries/browser/src', '../contract/src'];
  for (const folder of ['.', ...pages, ...shared]) {
    const entries = readdirSync(join(here, folder), { recursive: folder !== '.' });
    const names = entries.map(String).filter((name) => /\.(tsx?|css|html|json)$/.test(name));
    for (const name of names.filter((name) => !/\.test\.tsx?$/.test(name)).sort()) {
      const bytes = readFileSync(join(here, folder, name));
      hash.update(`${folder}/${name} ${bytes.length}\n`).update(bytes);
    }
  }
  return hash.digest('base64');
}

function isCurrent(sources: string): boolean {
  try {
    return readFileSync(join(dist, stampName), 'utf8') === sources;
  } catch {
    return false;
  }
}

/**
 * Removes what the bundler adds to each import to preload dependencies: what is fetched later has none, and
 * the addition is half a kilobyte in every buyer's script.
 */
const withoutPreloads: Plugin = {
  name: 'without-preloads',
  enforce: 'pre',
  load: (id) =>
    id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null,
  renderChunk: (code) => ({
    code: code.replaceAll(/__vitePreload\(\(\) => (.*?), __VITE_PRELOAD__\)/gs, '$1'),
    map: null,
  }),
};

async function bundle(outDir: string, page: Page): Promise<void> {
  await build({
    root: here,
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    // Set explicitly, because with a test's NODE_ENV every element would carry this machine's file names.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    plugins: [withoutPreloads],
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: false,
      rolldownOptions: {
        input: { [page]: join(here, page, 'index.html') },
        output: {
          entryFileNames: 'assets/[name]-[hash].js',
          chunkFileNames: `assets/${prefixes[page]}[name]-[hash].js`,
          assetFileNames: 'assets/[name]-[hash][extname]',
        },
      },
    },
  });
}

const purposes: Readonly<Record<Page, Readonly<Record<string, string>>>> = {
  checkout: {
    js: 'Shows the session, embeds the card form, sends the payment, follows its outcome.',
    css: 'Looks of the checkout page.',
  },
  customer: {
    js: "Shows the customer's saved cards, embeds the card form for a new one, removes one.",
    css: "Looks of the customer's page.",
  },
  account: {
    js: 'Signs people in, shows their account, their merchants and what applications ask for.',
    css: 'Looks of the pages of an account.',
  },
  dashboard: {
    js: "Shows a merchant's people its payments, and moves money where they ask for it.",
    css: "Looks of a merchant's dashboard.",
  },
};

const purposesOfParts: Readonly<Record<string, string>> = {
  express: 'shows the express buttons',
  'add-card': 'shows the form for a new card',
};

/** Returns the inventory of the scripts in the markup itself; the policy allows each by this hash. */
const inlineScripts = (page: Page, markup: string) =>
  [...markup.matchAll(/<script>(.*?)<\/script>/gs)].map(([, code = '']) => ({
    name: `${page}/index.html`,
    integrity: `sha256-${createHash('sha256').update(code).digest('base64')}`,
    purpose: `Of the ${page} page: begins its first reads while its script loads.`,
  }));

/** Writes integrity.json and adds the same hashes to the markup of the page to which each file belongs. */
function sealPages(folder: string): void {
  const markup = new Map<Page, string>();
  for (const page of pages)
    markup.set(page, readFileSync(join(folder, page, 'index.html'), 'utf8'));
  const inventory = readdirSync(join(folder, 'assets'))
    .sort()
    .map((file) => {
      const name = `assets/${file}`;
      const integrity = `sha384-${sha384(readFileSync(join(folder, name)))}`;
      const page = pages.find((each) => file.startsWith(`${each}-`)) ?? 'checkout';
      const text = markup.get(page) ?? '';
      const part = /^(?:customer-)?([a-z]{2}|express|add-card)-[\w-]{8}\.js$/.exec(file)?.[1];
      if (part) {
        // Without `rel` nothing is fetched: the page loads only the parts that it needs.
        const link = `<link data-part="${part}" href="/${name}" integrity="${integrity}">`;
        markup.set(
          page,
          text.replace('</head>', () => `  ${link}\n  </head>`),
        );
        const purpose = purposesOfParts[part] ?? `words, language ${part}`;
        return { name, integrity, purpose: `Of the ${page} page: ${purpose}.` };
      }
      const reference = new RegExp(`(?:src|href)="/${name}"`);
      if (!reference.test(text)) throw new Error(`${name} is not referred to by the page`);
      markup.set(
        page,
        text.replace(reference, (found) => `${found} integrity="${integrity}"`),
      );
      return { name, integrity, purpose: purposes[page][file.split('.').at(-1) ?? ''] };
    });
  for (const page of pages) writeFileSync(join(folder, page, 'index.html'), markup.get(page) ?? '');
  const all = [
    ...inventory,
    ...pages.flatMap((page) => inlineScripts(page, markup.get(page) ?? '')),
  ];
  writeFileSync(join(folder, 'integrity.json'), `${JSON.stringify(all, null, 2)}\n`);
}

/** Returns true when something was built, false when dist/ was current. */
export async function buildPages(): Promise<boolean> {
  const sources = sourcesHash();
  if (isCurrent(sources)) return false;
  const fresh = `${dist}.${process.pid}`;
  try {
    for (const page of pages) await bundle(fresh, page);
    sealPages(fresh);
    writeFileSync(join(fresh, stampName), sources);
    // Replaced as a whole; of two builds at once the first one stays.
    if (isCurrent(sources)) return false;
    const old = `${fresh}.old`;
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return true;
}

if (import.meta.main) {
  const began = performance.now();
  const isBuilt = await buildPages();
  const tookMs = Math.round(performance.now() - began);
  process.stdout.write(isBuilt ? `pages built in ${tookMs} ms\n` : 'pages are current\n');
}
