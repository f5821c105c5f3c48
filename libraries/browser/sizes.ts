// What a page carries of the library, compressed: `node libraries/browser/sizes.ts` builds it and
// prints the figures. A test holds each to its budget.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { buildLibrary } from './build.ts';

const compressedSize = (text: string | Buffer): number => gzipSync(text, { level: 9 }).length;

/** What a merchant's bundler makes of the entry, without what is fetched later. */
async function bundled(dist: string, names: string): Promise<number> {
  const entry = 'merchant';
  const build = await rolldown({
    input: entry,
    platform: 'browser',
    external: /setup-form|card-frame|confirm-payment/,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) =>
          id === entry
            ? `export { ${names} } from ${JSON.stringify(join(dist, 'index.js'))}`
            : null,
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm', minify: true, comments: false });
  await build.close();
  return compressedSize(output.map((part) => ('code' in part ? part.code : '')).join(''));
}

/** Bytes after gzip -9, each part beside its budget. */
export type Sizes = Readonly<Record<string, { readonly bytes: number; readonly atMost: number }>>;

/** Measures a built package. */
export async function measure(dist: string): Promise<Sizes> {
  const file = (name: string) => compressedSize(readFileSync(join(dist, name)));
  const texts = readdirSync(join(dist, 'texts')).filter((name) => name.endsWith('.js'));
  const alone = await bundled(dist, 'PaymentAPI, SvcError');
  const face = (await bundled(dist, 'PaymentAPI, CardSetup, SvcError')) - alone;
  return {
    'PaymentAPI, whole': { bytes: alone, atMost: 3_750 },
    'CardSetup, with the page': { bytes: face, atMost: 750 },
    'CardSetup, at the first mount': { bytes: file('setup-form.js'), atMost: 2_600 },
    'the card frame, at the first mount': { bytes: file('card-frame.js'), atMost: 2_400 },
    'choice of a language': { bytes: file('texts.js'), atMost: 500 },
    'a language, the largest': {
      bytes: Math.max(...texts.map((name) => file(join('texts', name)))),
      atMost: 700,
    },
    'the submit, beside the form': {
      bytes: file('setup-submit.js') + file('hand-over.js'),
      atMost: 3_450,
    },
    'confirmPayment, with the first payment': {
      bytes: file('confirm-payment.js') + file('hand-over.js'),
      atMost: 3_650,
    },
    "the bank's dialog, beside the form": {
      bytes: file('challenge-dialog.js'),
      atMost: 3_400,
    },
    'the custom element': { bytes: file('element.js'), atMost: 1_000 },
    'the React components, both': { bytes: file('react.js'), atMost: 1_300 },
    'CardPayment, at the first mount': { bytes: file('payment-form.js'), atMost: 2_400 },
    'the express buttons, on use': { bytes: file('express-checkout.js'), atMost: 1_500 },
    'CardPayment, while the buyer types': { bytes: file('payment-submit.js'), atMost: 1_000 },
  };
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sizes-'));
  try {
    await buildLibrary(join(folder, 'dist'));
    for (const [part, { bytes, atMost }] of Object.entries(await measure(join(folder, 'dist')))) {
      process.stdout.write(`${String(bytes).padStart(6)} of ${atMost}  ${part}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
