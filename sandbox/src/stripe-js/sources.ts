// The sources of the browser library's replacement without their types. Node strips them, so there is no build;
// that of the package (sandbox/build.ts) puts the stripped texts in place of this module.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

/** The files that are served, below sandbox/src. */
const served = [
  'stripe-js/express-element.ts',
  'stripe-js/stand-in.ts',
  'stripe-js/express.ts',
  'stripe-js/field.ts',
  'cards/card-digits.ts',
] as const;
type Served = (typeof served)[number];

/**
 * Node prints a warning that stripping types is experimental, which does not help anybody who starts a
 * sandbox.
 */
function withoutWarning<T>(run: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return run();
  } finally {
    process.emitWarning = emitWarning;
  }
}

const strip = (path: string): string =>
  withoutWarning(() =>
    stripTypeScriptTypes(readFileSync(join(import.meta.dirname, '..', path), 'utf8')),
  );

export const sources: Readonly<Record<Served, string>> = Object.fromEntries(
  served.map((path) => [path, strip(path)]),
) as Record<Served, string>;
