// Judges this machine's Node and the settings that the service would start with.
import type { Mode } from '@svc/contract/modes';
import { isLoopback } from '../../../domain/people/mail.ts';
import { type Finding, goodFinding, noteFinding, wrongFinding } from './finding.ts';

const oldestNode = 20;

export function judgeNode(version: string): Finding {
  const major = Number(version.replace(/^v/, '').split('.')[0]);
  return major < oldestNode
    ? wrongFinding('node', version, `install Node ${oldestNode} or later`)
    : goodFinding('node', version);
}

type Settings = {
  readonly mode: Mode;
  readonly baseUrl: string;
  readonly formOrigin: string;
  readonly operatorEmail: string | null;
  readonly hasLimits: boolean;
  readonly trustedProxies: number;
};

const isLocal = (url: string): boolean => isLoopback(new URL(url).hostname);

const judgeAddress = (what: string, url: string): Finding => {
  if (url.startsWith('https:')) return goodFinding(what, url);
  return isLocal(url)
    ? noteFinding(
        what,
        `${url} is an address of this machine only`,
        'give it a public https address before others use it',
      )
    : wrongFinding(
        what,
        `${url} is not https`,
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
      'no proxy is trusted: limits count all buyers as one, by the address of the proxy',
      'set SVC_TRUSTED_PROXIES to the number of proxies in front, and let them add X-Forwarded-For',
    );
  }
  return !isProxied && trustedProxies > 0
    ? wrongFinding(
        'proxies',
        `${trustedProxies} trusted, but callers come without a proxy: X-Forwarded-For can be invented`,
        'set SVC_TRUSTED_PROXIES=0',
      )
    : goodFinding('proxies', `${trustedProxies} trusted`);
}

/** Judges what needs no network. Only live mode must have an operator's address. */
export function judgeSettings(settings: Settings): Finding[] {
  const { mode, baseUrl, formOrigin } = settings;
  const missing = mode === 'live' ? wrongFinding : noteFinding;
  const isShared = new URL(baseUrl).origin === formOrigin;
  const noOperator = 'nobody is told about money that no payment knows';
  return [
    goodFinding('mode', mode),
    judgeAddress('address', baseUrl),
    isShared
      ? wrongFinding(
          'card form',
          'the form has the same origin as the service',
          'give the form an origin of its own (SVC_VAULT_ORIGIN)',
        )
      : judgeAddress('card form', formOrigin),
    judgeProxies(settings),
    settings.operatorEmail
      ? goodFinding('operator', settings.operatorEmail)
      : missing('operator', noOperator, 'set SVC_OPERATOR_EMAIL'),
    settings.hasLimits
      ? goodFinding('limits', 'on')
      : wrongFinding('limits', 'off', 'remove SVC_LIMITS=off from the settings'),
  ];
}
