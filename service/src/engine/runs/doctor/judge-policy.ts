// Judges whether the Content-Security-Policy of a merchant's page allows the card form and the API.
import type { Mode } from '@svc/contract/servers/modes';
import { type Finding, goodFinding, noteFinding, wrongFinding } from './finding.ts';

type Origins = {
  readonly page: string;
  readonly form: string;
  readonly service: string;
  /** The origin of the bank's page, which the dialog frames. */
  readonly bank: string;
};

const directives = (policy: string): Map<string, string[]> =>
  new Map(
    policy.split(';').flatMap((part): [string, string[]][] => {
      const [name, ...sources] = part.trim().split(/\s+/);
      return name ? [[name.toLowerCase(), sources]] : [];
    }),
  );

/** A source of http also allows https (CSP 3, 6.7.2.7). */
const isScheme = (scheme: string, { protocol }: URL): boolean =>
  scheme.toLowerCase() === protocol || (/^http:$/i.test(scheme) && protocol === 'https:');

const matches = (source: string, wanted: URL, page: string): boolean => {
  if (source === '*') return true;
  if (source === "'self'") return wanted.origin === page;
  if (/^[a-z]+:$/i.test(source)) return isScheme(source, wanted);
  const parts = /^(?:([a-z]+:)\/\/)?(\*\.)?([^:/]+)(?::(\d+|\*))?/i.exec(source);
  if (!parts) return false;
  const [, scheme, isWild, host = '', port] = parts;
  if (!isScheme(scheme ?? new URL(page).protocol, wanted)) return false;
  const name = host.toLowerCase();
  const isHost = isWild ? wanted.hostname.endsWith(`.${name}`) : wanted.hostname === name;
  const usual = wanted.protocol === 'https:' ? '443' : '80';
  const isPort = port === '*' || (wanted.port || usual) === (port ?? usual);
  return (isHost || (host === '*' && !isWild)) && isPort;
};

/** The fallbacks of a directive (CSP 3, 6.8.3). */
const fallbacks: Readonly<Record<string, readonly string[]>> = {
  'frame-src': ['frame-src', 'child-src', 'default-src'],
  'connect-src': ['connect-src', 'default-src'],
};

const allows = (policy: string, directive: string, wanted: string, page: string): boolean => {
  const all = directives(policy);
  const name = fallbacks[directive]?.find((one) => all.has(one));
  if (name === undefined) return true;
  return (all.get(name) ?? []).some((source) => matches(source, new URL(wanted), page));
};

/** Returns the policies of a page: those of its header, separated by commas, and those of `meta` elements. */
export const policiesOf = (header: string | null, html: string): string[] => [
  ...(header ?? '').split(',').filter((one) => one.trim() !== ''),
  ...[...html.matchAll(/<meta[^>]+http-equiv=["']content-security-policy["'][^>]*>/gi)].flatMap(
    ([tag]) => /content="([^"]*)"|content='([^']*)'/i.exec(tag)?.slice(1).filter(Boolean) ?? [],
  ),
];

/** Judges whether a merchant's page may embed the card form and the bank's page, and call the service. */
export function judgePolicy(
  {
    policies,
    isIsolated,
    mode,
  }: {
    readonly policies: readonly string[];
    readonly isIsolated: boolean;
    readonly mode: Mode;
  },
  { page, form, service, bank }: Origins,
): Finding[] {
  // A sandbox takes card numbers by its own vault unless it was asked for the provider's fields.
  const unlessSandbox = mode === 'sandbox' ? noteFinding : wrongFinding;
  const judgeDirective = (directive: string, wanted: string): Finding => {
    const what = `page's ${directive}`;
    if (policies.length === 0)
      return goodFinding(what, `${wanted} is allowed: the page has no policy`);
    return policies.every((policy) => allows(policy, directive, wanted, page))
      ? goodFinding(what, `${wanted} is allowed`)
      : wrongFinding(
          what,
          `${wanted} is not allowed: the browser blocks it, and nobody can pay there`,
          `add ${wanted} to ${directive} of ${page}`,
        );
  };
  return [
    judgeDirective('frame-src', form),
    judgeDirective('frame-src', service),
    judgeDirective('frame-src', bank),
    judgeDirective('connect-src', service),
    isIsolated
      ? unlessSandbox(
          "page's isolation",
          'the page sends Cross-Origin-Embedder-Policy: the card fields of the provider (VAULT_DRIVER=provider-fields) do not load in it',
          'remove that header from the page that embeds the form',
        )
      : goodFinding("page's isolation", 'the page does not isolate itself'),
  ];
}
