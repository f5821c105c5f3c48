// The built card form, read once at start, and the policy that lets exactly its script and style
// run. Contract §4.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
};

type Built = {
  readonly document: string;
  readonly pieces: readonly { readonly name: string; readonly sha384: string }[];
};

const defaultFolder = join(import.meta.dirname, '../dist');

/** Refuses to start without a build. */
export function readForm(folder = defaultFolder): FormDocument {
  try {
    const built = JSON.parse(readFileSync(join(folder, 'integrity.json'), 'utf8')) as Built;
    const hashOf = (ending: string) => {
      const piece = built.pieces.find(({ name }) => name.endsWith(ending));
      if (!piece) throw new Error(`no ${ending} in integrity.json`);
      return `'sha384-${piece.sha384}'`;
    };
    const read = (name: string) => readFileSync(join(folder, name));
    return {
      plain: read(built.document),
      brotli: read(`${built.document}.br`),
      gzip: read(`${built.document}.gz`),
      etag: `"${built.document.replace(/^form-|\.html$/g, '')}"`,
      scriptHash: hashOf('.js'),
      styleHash: hashOf('.css'),
    };
  } catch {
    throw new StartTrouble('The card form is not built: run `node vault/build.ts` first.');
  }
}

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
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${form.scriptHash}`,
      `style-src ${form.styleHash}`,
      "connect-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "object-src 'none'",
      `frame-ancestors ${ancestors}`,
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
      'report-to csp',
    ].join('; '),
    'reporting-endpoints': reportingEndpoints,
    // A page that isolates itself may only embed documents that do so too.
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'cross-origin',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'origin-agent-cluster': '?1',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'x-dns-prefetch-control': 'off',
  };
}
