// Builds the card form into one document that contains its script and style, so that it loads with one
// request. Writes `dist/integrity.json`, which lists each piece with its SHA-384: the vault's
// Content-Security-Policy allows exactly these pieces.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = import.meta.dirname;
const formFolder = join(root, 'src/form');

export type Piece = { readonly name: string; readonly sha384: string; readonly purpose: string };

/** Files of a finished build, as paths relative to `dist`. */
export type Integrity = {
  readonly sources: string;
  /** The document of the driver `own-vault`. */
  readonly document: string;
  readonly pieces: readonly Piece[];
  /**
   * The document of the driver `provider-fields`. The vault inserts the address of the provider's script.
   */
  readonly provider: { readonly document: string; readonly pieces: readonly Piece[] };
};

const sha384 = (bytes: string | Buffer) => createHash('sha384').update(bytes).digest('base64');
const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

function sourceFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Returns one hash over everything that the build reads, including this file and the bundler's version. */
function hashSources(): string {
  const hash = createHash('sha256');
  const contract = join(root, '../contract/src');
  const files = [
    ...sourceFiles(formFolder),
    ...['vault/card-number.ts', 'servers/origins.ts'].map((file) => join(contract, file)),
    join(root, 'build.ts'),
    fileURLToPath(import.meta.resolve('vite/package.json')),
  ];
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Returns the description of the build in a folder; undefined when there is none. */
export function findIntegrity(dist: string): Integrity | undefined {
  try {
    return JSON.parse(readFileSync(join(dist, 'integrity.json'), 'utf8')) as Integrity;
  } catch {
    return undefined;
  }
}

type Entry = { readonly script: string; readonly styles: readonly string[] };

async function bundle({ script: entry, styles }: Entry): Promise<BundledForm> {
  const { build } = await import('vite');
  const output = await build({
    root: formFolder,
    configFile: false,
    envFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: [entry, ...styles].map((file) => join(formFolder, file)),
        output: { format: 'es' },
      },
    },
  });
  const outputs = Array.isArray(output) ? output : [output];
  const files = outputs.flatMap((one) => ('output' in one ? one.output : []));
  const script = files.find((file) => file.type === 'chunk' && file.code.trim() !== '');
  const style = styles.map((name) => {
    const wanted = name.replace('.css', '');
    const file = files.find((one) => one.type === 'asset' && one.fileName.includes(wanted));
    return file?.type === 'asset' ? String(file.source).trim() : '';
  });
  if (script?.type !== 'chunk' || style.includes('')) throw new Error('Nothing was bundled.');
  return { script: script.code.trim(), style: style.join('') };
}

type BundledForm = { readonly script: string; readonly style: string };

function assemble(template: string, { script, style }: BundledForm): string {
  if (/<\/(script|style)/i.test(script + style)) throw new Error('A piece would end its element.');
  // Replaced by functions, because a replacement text would treat `$&` and similar as patterns.
  return template
    .replaceAll(/\n/g, '')
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script></script>', () => `<script type="module">${script}</script>`);
}

/** Placeholder for the address of the provider's script, which only the vault knows. */
const scriptAddress = '%PROVIDER_SCRIPT%';

const input = /<input id="(number|expiry|cvc)"[^>]*>/g;

/** The same form with places for the provider's fields: each is a group with the name of its label. */
const withPlaces = (template: string): string =>
  template
    .replace(
      '<style>',
      `<link rel="preload" as="script" id="provider-script" href="${scriptAddress}"><style>`,
    )
    .replace(/<label for="(number|expiry|cvc)">/g, '<label for="$1" id="label-$1">')
    .replace(input, '<div class="place" id="$1" role="group" aria-labelledby="label-$1"></div>');

const piecesOf = (kind: string, html: string, { script, style }: BundledForm) => {
  const name = (ending: string, text: string) => `${kind}-${shortHash(text)}.${ending}`;
  const document = name('html', html);
  return {
    document,
    pieces: [
      { name: name('js', script), sha384: sha384(script), purpose: 'the card form' },
      { name: name('css', style), sha384: sha384(style), purpose: 'looks of the card form' },
      { name: document, sha384: sha384(html), purpose: 'document with both inside' },
    ],
  };
};

/** Builds the form unless the existing build has the same sources. Several builds may run at once. */
export async function buildForm(dist = join(root, 'dist')): Promise<{ isFresh: boolean }> {
  const sources = hashSources();
  if (findIntegrity(dist)?.sources === sources) return { isFresh: false };
  const template = readFileSync(join(formFolder, 'form.html'), 'utf8');
  const [own, hosted] = await Promise.all([
    bundle({ script: 'main.ts', styles: ['form.css'] }),
    bundle({ script: 'provider-main.ts', styles: ['form.css', 'hosted-fields.css'] }),
  ]);
  const html = assemble(template, own);
  const hostedHtml = assemble(withPlaces(template), hosted);
  const form = piecesOf('form', html, own);
  const provider = piecesOf('fields', hostedHtml, hosted);
  const integrity: Integrity = { sources, ...form, provider };
  mkdirSync(dist, { recursive: true });
  const write = (file: string, content: string | Buffer) => {
    const fresh = join(dist, `.${randomUUID()}`);
    writeFileSync(fresh, content);
    renameSync(fresh, join(dist, file));
  };
  write(form.document, html);
  write(`${form.document}.br`, brotliCompressSync(html));
  write(`${form.document}.gz`, gzipSync(html, { level: 9 }));
  write(provider.document, hostedHtml);
  // Written last because it names the other files: a reader never sees half a build.
  write('integrity.json', `${JSON.stringify(integrity, null, 2)}\n`);
  const current = [form.document, provider.document];
  for (const file of readdirSync(dist)) {
    const isOld = /^(form|fields)-/.test(file) && !current.some((name) => file.startsWith(name));
    if (isOld) rmSync(join(dist, file), { force: true });
  }
  return { isFresh: true };
}

if (import.meta.main) {
  const start = performance.now();
  const { isFresh } = await buildForm();
  const ms = Math.round(performance.now() - start);
  const line = isFresh ? `card form built in ${ms} ms` : `card form is up to date (${ms} ms)`;
  process.stdout.write(`${line}\n`);
}
