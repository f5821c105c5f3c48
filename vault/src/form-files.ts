// The built card form, read once at start, and the policy that lets exactly its script and style
// run. Contract §4.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { isListedOrigin } from '@svc/contract/origins';
import { reportingEndpoints } from '@svc/contract/policy-reports';
import type { FrameParents } from '@svc/contract/vault';
import { StartTrouble } from './database.ts';

export type FormDocument = {
  readonly plain: Buffer;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
  /** CSP sources of script and style. */
  readonly scriptHash: string;
  readonly styleHash: string;
  /** Where the provider's browser library comes from; undefined where the form stands on our inputs. */
  readonly providerScript: string | undefined;
};

type BuiltDocument = {
  readonly document: string;
  readonly pieces: readonly { readonly name: string; readonly sha384: string }[];
};
type Built = BuiltDocument & { readonly provider: BuiltDocument };

/** As `vault/build.ts` writes it. */
const scriptPlace = '%PROVIDER_SCRIPT%';
const defaultFolder = join(import.meta.dirname, '../dist');

const readBuilt = (folder: string): Built =>
  JSON.parse(readFileSync(join(folder, 'integrity.json'), 'utf8')) as Built;

function hashesOf({ pieces }: BuiltDocument): Pick<FormDocument, 'scriptHash' | 'styleHash'> {
  const hashOf = (ending: string) => {
    const piece = pieces.find(({ name }) => name.endsWith(ending));
    if (!piece) throw new Error(`no ${ending} in integrity.json`);
    return `'sha384-${piece.sha384}'`;
  };
  return { scriptHash: hashOf('.js'), styleHash: hashOf('.css') };
}

function orNotBuilt<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new StartTrouble('The card form is not built: run `node vault/build.ts` first.');
  }
}

/** The form on our own inputs. Refuses to start without a build. */
export const readForm = (folder = defaultFolder): FormDocument =>
  orNotBuilt(() => {
    const built = readBuilt(folder);
    const read = (name: string) => readFileSync(join(folder, name));
    return {
      plain: read(built.document),
      brotli: read(`${built.document}.br`),
      gzip: read(`${built.document}.gz`),
      etag: `"${built.document.replace(/^form-|\.html$/g, '')}"`,
      ...hashesOf(built),
      providerScript: undefined,
    };
  });

/** The form on the provider's fields, which loads the library at `script`. Refuses as `readForm`. */
export const readProviderForm = (script: string, folder = defaultFolder): FormDocument =>
  orNotBuilt(() => {
    const { provider } = readBuilt(folder);
    const html = readFileSync(join(folder, provider.document), 'utf8');
    if (!html.includes(scriptPlace)) throw new Error('the document has no place for the script');
    const plain = Buffer.from(html.replace(scriptPlace, () => script));
    const mark = createHash('sha256').update(plain).digest('hex').slice(0, 12);
    return {
      plain,
      brotli: brotliCompressSync(plain),
      gzip: gzipSync(plain, { level: 9 }),
      etag: `"${mark}"`,
      ...hashesOf(provider),
      providerScript: script,
    };
  });

/** The document that answers every handshake with a reason instead of showing a form. */
export const refusalDocument = (form: FormDocument, reason: string): Buffer =>
  Buffer.from(
    form.plain.toString('utf8').replace('<html ', () => `<html data-refusal="${reason}" `),
  );

/**
 * What a policy cannot name: an IPv6 host, and 127.0.0.0/8 beyond 127.0.0.1. A page there that is in the
 * list is let in by the address that its browser says it asks from; the form itself still talks to
 * pages of the list alone.
 */
export function unnamedParent(
  parents: FrameParents,
  referer: string | undefined,
): string | undefined {
  const { origin, protocol } = URL.parse(referer ?? '') ?? { origin: '', protocol: '' };
  if (!isListedOrigin(origin, parents)) return undefined;
  if (origin.includes('[')) return protocol;
  return /\/\/127\./.test(origin) && !/\/\/127\.0\.0\.1(:|$)/.test(origin) ? origin : undefined;
}

/** Headers of the form's document; `parents` are the only pages that may embed it. */
export function documentHeaders(
  form: FormDocument,
  parents: FrameParents,
  unnamed?: string,
): Record<string, string> {
  const named = [
    ...parents.filter((parent) => !parent.includes('[')),
    ...(unnamed ? [unnamed] : []),
  ];
  const ancestors = named.length > 0 ? named.join(' ') : "'none'";
  const { providerScript } = form;
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      ...(providerScript ? providerSources(form, providerScript) : ownSources(form)),
      "form-action 'none'",
      "base-uri 'none'",
      "object-src 'none'",
      `frame-ancestors ${ancestors}`,
      // The provider's library was not written for them.
      ...(providerScript ? [] : ["require-trusted-types-for 'script'", "trusted-types 'none'"]),
      'report-to csp',
    ].join('; '),
    'reporting-endpoints': reportingEndpoints,
    // A page that isolates itself may only embed documents that do so too. The provider's script and
    // frames do not: with them the form cannot stand in such a page.
    ...(providerScript ? {} : { 'cross-origin-embedder-policy': 'require-corp' }),
    'cross-origin-resource-policy': 'cross-origin',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'origin-agent-cluster': '?1',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'x-dns-prefetch-control': 'off',
  };
}

const ownSources = ({ scriptHash, styleHash }: FormDocument): string[] => [
  `script-src ${scriptHash}`,
  `style-src ${styleHash}`,
  "connect-src 'self'",
];

const providerOrigin = 'https://js.stripe.com';

/** What the provider asks a page's policy for; of a stand-in its own origin alone. */
function providerSources({ scriptHash, styleHash }: FormDocument, script: string): string[] {
  const { origin } = new URL(script);
  const isProvider = origin === providerOrigin;
  // https://docs.stripe.com/security/guide, Content Security Policy.
  const scripts = isProvider ? `${origin} https://*.js.stripe.com` : origin;
  const frames = isProvider ? `${origin} https://*.js.stripe.com https://hooks.stripe.com` : origin;
  return [
    `script-src ${scriptHash} ${scripts}`,
    `style-src ${styleHash}`,
    `frame-src ${frames}`,
    `connect-src 'self' ${isProvider ? 'https://api.stripe.com' : origin}`,
  ];
}
