// Judges this machine's Node and the settings that the service would start with.

import { isLoopbackHost } from '@svc/contract/servers/loopback';
import type { Mode } from '@svc/contract/servers/modes';
import { type Finding, goodFinding, noteFinding, wrongFinding } from './finding.ts';

/** Whether this Node runs TypeScript sources without a flag: 22.18, 23.6 and all later ones. */
const runsTypeScript = (version: string): boolean => {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
};

export const judgeNode = (version: string): Finding =>
  runsTypeScript(version)
    ? goodFinding('node', version)
    : wrongFinding(
        'node',
        `${version} cannot run the service, which needs Node 22.18 or later`,
        'start the service with node_modules/.bin/node, the packaged Node, or install Node 24',
      );

type Settings = {
  readonly mode: Mode;
  readonly baseUrl: string;
  readonly formOrigin: string;
  readonly operatorEmail: string | null;
  readonly hasLimits: boolean;
  readonly trustedProxies: number;
};

const isLocal = (url: string): boolean => isLoopbackHost(new URL(url).hostname);

const judgeAddress = (what: string, url: string): Finding => {
  if (url.startsWith('https:')) return goodFinding(what, url);
  return isLocal(url)
    ? noteFinding(
        what,
        `${url} is an address of this machine only: nobody else can open it`,
        'give it a public https address before others use it',
      )
    : wrongFinding(
        what,
        `${url} is not https: what buyers type can be read on the way`,
        'put a proxy with TLS in front, and set its https address',
      );
};

/**
 * The service speaks http: an https address means that a proxy stands in front. Without trust in it, its
 * address counts as every buyer's; with trust but no proxy, anybody can invent an address.
 */
function judgeProxies({ baseUrl, trustedProxies }: Settings): Finding {
  const isProxied = baseUrl.startsWith('https:');
  if (isProxied && trustedProxies === 0) {
    return wrongFinding(
      'proxies',
      'the address is https, so a proxy stands in front, and none is trusted: limits count all buyers as one',
      'set SVC_TRUSTED_PROXIES to the number of proxies in front, and let them add X-Forwarded-For',
    );
  }
  return !isProxied && trustedProxies > 0
    ? wrongFinding(
        'proxies',
        `${trustedProxies} in front are trusted, but callers come without a proxy: anybody can name an address that is not theirs`,
        'set SVC_TRUSTED_PROXIES=0',
      )
    : goodFinding(
        'proxies',
        trustedProxies === 0 ? 'none is in front' : `in front and trusted: ${trustedProxies}`,
      );
}

/** Judges what needs no network. Only live mode must have an operator's address. */
export function judgeSettings(settings: Settings): Finding[] {
  const { mode, baseUrl, formOrigin } = settings;
  const missing = mode === 'live' ? wrongFinding : noteFinding;
  const isShared = new URL(baseUrl).origin === formOrigin;
  const noOperator =
    'no address of an operator is set: no mail tells anybody when the provider has money that belongs to no payment here';
  return [
    goodFinding('mode', mode),
    judgeAddress('address', baseUrl),
    isShared
      ? wrongFinding(
          'card form',
          'the form has the same origin as the service: a fault in a page could read card numbers',
          'give the form an origin of its own (SVC_VAULT_ORIGIN)',
        )
      : judgeAddress('card form', formOrigin),
    judgeProxies(settings),
    settings.operatorEmail
      ? goodFinding('operator', settings.operatorEmail)
      : missing('operator', noOperator, 'set SVC_OPERATOR_EMAIL'),
    settings.hasLimits
      ? goodFinding('limits', 'on')
      : wrongFinding(
          'limits',
          'off: anybody may try as many cards and passwords as they like',
          'remove SVC_LIMITS=off from the settings',
        ),
  ];
}
