// Builds the pages into dist/: hashed assets, integrity in the markup, and the script inventory that
// payment pages keep (PCI DSS 6.4.3): `node pages/build.ts`. Skipped while no source has changed.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const dist = join(here, 'dist');
const stampName = 'sources.sha384';

const sha384 = (bytes: string | Buffer) => createHash('sha384').update(bytes).digest('base64');

/** One hash over everything that the bundle is made from, the tools' versions included. */
function sourcesHash(): string {
  const hash = createHash('sha384');
  for (const folder of ['.', 'checkout', '../libraries/browser/src', '../contract/src']) {
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

async function bundle(outDir: string): Promise<void> {
  await build({
    root: here,
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    // Also under a test's NODE_ENV: else every element carries this machine's file names.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: false,
      rolldownOptions: {
        input: { checkout: join(here, 'checkout/index.html') },
        output: {
          entryFileNames: 'assets/[name]-[hash].js',
          chunkFileNames: 'assets/[name]-[hash].js',
          assetFileNames: 'assets/[name]-[hash][extname]',
        },
      },
    },
  });
}

const purposes: Readonly<Record<string, string>> = {
  js: 'Shows the session, embeds the card form, sends the payment, follows its outcome.',
  css: 'Looks of the checkout page.',
};

/** Writes integrity.json and puts the same values into the markup. */
function seal(folder: string): void {
  const page = join(folder, 'checkout/index.html');
  let markup = readFileSync(page, 'utf8');
  const inventory = readdirSync(join(folder, 'assets'))
    .sort()
    .map((file) => {
      const name = `assets/${file}`;
      const integrity = `sha384-${sha384(readFileSync(join(folder, name)))}`;
      const language = /^([a-z]{2})-[\w-]+\.js$/.exec(file)?.[1];
      if (language) {
        // Without `rel` nothing is fetched: the page asks for the one that it speaks.
        const link = `<link data-language="${language}" href="/${name}" integrity="${integrity}">`;
        markup = markup.replace('</head>', () => `  ${link}\n  </head>`);
        return { name, integrity, purpose: `Words of the checkout page, language ${language}.` };
      }
      const reference = new RegExp(`(?:src|href)="/${name}"`);
      if (!reference.test(markup)) throw new Error(`${name} is not referred to by the page`);
      markup = markup.replace(reference, (found) => `${found} integrity="${integrity}"`);
      return { name, integrity, purpose: purposes[file.split('.').at(-1) ?? ''] };
    });
  writeFileSync(page, markup);
  writeFileSync(join(folder, 'integrity.json'), `${JSON.stringify(inventory, null, 2)}\n`);
}

/** True when something was built; false when dist/ was current. */
export async function buildPages(): Promise<boolean> {
  const sources = sourcesHash();
  if (isCurrent(sources)) return false;
  const fresh = `${dist}.${process.pid}`;
  try {
    await bundle(fresh);
    seal(fresh);
    writeFileSync(join(fresh, stampName), sources);
    // Whole or not at all; of two builds at once the first one stays.
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
