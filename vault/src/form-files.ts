// The built card form, read once at start, and the policy that allows exactly its script and style.
// Contract §4.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { isListedOrigin } from '@svc/contract/servers/origins';
import { reportingEndpoints } from '@svc/contract/servers/policy-reports';
import type { FrameParents } from '@svc/contract/vault/vault';
import { StartTrouble } from './database.ts';

export type FormDocument = {
  readonly plain: Buffer;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
  /** CSP sources of script and style. */
  readonly scriptHash: string;
  readonly styleHash: string;
  /** Address of the provider's browser library; undefined for the form with our own inputs. */
  readonly providerScript: string | undefined;
};

type BuiltDocument = {
  readonly document: string;
  readonly pieces: readonly { readonly name: string; readonly sha384: string }[];
};
type BuiltForm = BuiltDocument & { readonly provider: BuiltDocument };

/** The placeholder that `vault/build.ts` writes. */
const scriptPlace = '%PROVIDER_SCRIPT%';
const defaultFolder = join(import.meta.dirname, '../dist');

const readBuilt = (folder: string): BuiltForm =>
  JSON.parse(readFileSync(join(folder, 'integrity.json'), 'utf8')) as BuiltForm;

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

/** Reads the form with our own inputs. Throws when there is no build. */
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

/**
 * Reads the form with the provider's fields, which loads the library at `script`. Throws as `readForm`
 * does.
 */
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

/** Returns a document that shows no form and refuses every handshake with the reason. */
export const refusalDocument = (form: FormDocument, reason: string): Buffer =>
  Buffer.from(
    form.plain.toString('utf8').replace('<html ', () => `<html data-refusal="${reason}" `),
  );

/**
 * Returns the origin of an allowed page that a policy cannot name: an IPv6 host, or an address of
 * 127.0.0.0/8 other than 127.0.0.1. The browser's Referer identifies such a page. The form itself still
 * accepts messages only from pages of the list.
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

/** Returns the headers of the form's document. Only the pages in `parents` may embed it. */
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
      // The provider's library does not support trusted types.
      ...(providerScript ? [] : ["require-trusted-types-for 'script'", "trusted-types 'none'"]),
      'report-to csp',
    ].join('; '),
    'reporting-endpoints': reportingEndpoints,
    // A cross-origin isolated page may embed only isolated documents. The provider's script and frames are
    // not isolated: with them the form cannot be embedded in such a page.
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

/**
 * The sources that the provider requires in a page's policy. A replacement of the provider needs only its
 * own origin.
 */
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
