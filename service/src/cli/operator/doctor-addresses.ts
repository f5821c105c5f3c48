// Calls the addresses as buyers and merchants do, and checks the answers, certificates and clocks.
import { type RunsWith, type SeenRequest, seenHeader } from '@svc/contract/servers/seen-request';
import type { Ports } from '../../engine/ports.ts';
import {
  type Finding,
  goodFinding,
  noteFinding,
  wrongFinding,
} from '../../engine/runs/doctor/finding.ts';
import { judgeCertificates } from '../../engine/runs/doctor/judge-certificates.ts';
import { judgePolicy, policiesOf } from '../../engine/runs/doctor/judge-policy.ts';
import { type Behind, inventedAddress, judgeSeen } from '../../engine/runs/doctor/judge-proxies.ts';
import { judgeNode } from '../../engine/runs/doctor/judge-settings.ts';

const patienceMs = 5_000;
const mostSkewMs = 30_000;

const messageOf = (error: unknown): string => {
  const { cause, message } = error as Error;
  const { code } = (cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
};

type Answered = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/** Reads a page, without following redirects; returns the error's code when there is no answer. */
async function readPage(
  url: string,
  { redirect = 'manual', headers = {} }: Pick<RequestInit, 'redirect' | 'headers'> = {},
): Promise<Answered | string> {
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const answer = await fetch(url, { redirect, headers, signal });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch (error) {
    return messageOf(error);
  }
}

/** The headers of a request that asks what of it comes through the proxies in front. */
const probe = {
  [seenHeader]: '1',
  'x-forwarded-for': inventedAddress,
  authorization: 'Basic ZG9jdG9yOg==',
  'idempotency-key': 'doctor',
  origin: 'https://doctor.invalid',
  'sec-fetch-site': 'none',
};

/** Checks what comes through the proxies; nothing where another program answers. */
async function lookAtProxies(url: string, behind: Behind): Promise<Finding[]> {
  const answer = await readPage(`${url}/readyz`, { headers: probe });
  const seen = typeof answer === 'string' ? null : parsed(answer.text)?.seen;
  return seen ? [judgeSeen(seen, behind)] : [];
}

/** Checks that an https address is not served without TLS as well. */
async function lookAtPlain(what: string, url: string): Promise<Finding[]> {
  const { protocol, port, host } = new URL(url);
  if (protocol !== 'https:' || port !== '') return [];
  const answer = await readPage(`http://${host}/readyz`);
  if (typeof answer === 'string' || parsed(answer.text)?.mode === undefined) {
    return [goodFinding(what, 'nothing is served without TLS')];
  }
  const mend = 'let the proxy redirect http to https, and let nobody else reach the port behind it';
  return [
    wrongFinding(
      what,
      `http://${host} is served without TLS: what buyers type can be read on the way`,
      mend,
    ),
  ];
}

/** Judges what the process runs with, which the settings here need not say; nothing of another program. */
function judgeProcess({ runs }: Readiness): Finding[] {
  if (!runs) return [];
  const what = 'limits of the running service';
  const limits =
    runs.limits === 'on'
      ? goodFinding(what, 'on')
      : wrongFinding(
          what,
          'off: anybody may try as many cards and passwords as they like',
          'start the service again without SVC_LIMITS=off',
        );
  return [{ ...judgeNode(runs.node), what: 'node of the running service' }, limits];
}

/** Checks the process that answers at the public address. */
async function lookAtService(baseUrl: string, mode: string): Promise<Finding[]> {
  const answer = await readPage(`${baseUrl}/readyz`, { headers: { [seenHeader]: '1' } });
  const body = typeof answer === 'string' ? null : parsed(answer.text);
  return [judgeService(answer, { baseUrl, mode }), ...(body?.mode ? judgeProcess(body) : [])];
}

/** Judges whether the service is ready at its public address, and of this mode. */
function judgeService(
  answer: Answered | string,
  { baseUrl, mode }: { readonly baseUrl: string; readonly mode: string },
): Finding {
  const what = 'service';
  const url = `${baseUrl}/readyz`;
  const mend = 'start the service, and let the proxy pass /readyz (docs/operating/running.md)';
  if (typeof answer === 'string')
    return wrongFinding(what, `${url} does not answer: ${answer}`, mend);
  const body = parsed(answer.text);
  if (body?.mode === undefined) {
    return wrongFinding(
      what,
      `${url} is not answered by this service: status ${answer.status}`,
      mend,
    );
  }
  if (body.mode !== mode) {
    return wrongFinding(
      what,
      `runs in mode ${body.mode}, the settings here say ${mode}: these are not the settings that it started with`,
      `set SVC_MODE=${body.mode}, or correct SVC_BASE_URL`,
    );
  }
  if (answer.status !== 200) {
    const { database, isMigrated, isWritable, vault, isDraining } = body;
    const faults = [
      database === 'unreachable' ? 'its database is unreachable' : '',
      isMigrated ? '' : 'migrations are missing',
      isWritable ? '' : 'its database accepts no write',
      vault === 'ready' ? '' : `the vault ${vault?.startsWith('another') ? 'has' : 'is'} ${vault}`,
      isDraining ? 'it is stopping' : '',
    ];
    const said = `not ready: ${faults.filter(Boolean).join(', ')}`;
    return wrongFinding(
      what,
      said,
      'correct what is named, in the settings of the running service',
    );
  }
  return goodFinding(what, `ready, ${body.database}`);
}

/** The answer of /readyz; everything may be missing in the answer of another program. */
type Readiness = {
  readonly mode?: string;
  readonly status?: string;
  readonly database?: string;
  readonly isMigrated?: boolean;
  readonly isWritable?: boolean;
  readonly isDraining?: boolean;
  readonly vault?: string;
  readonly runs?: RunsWith;
  readonly seen?: SeenRequest;
};

const parsed = (text: string): Readiness | null => {
  try {
    return JSON.parse(text) as Readiness | null;
  } catch {
    return null;
  }
};

/** Checks that the vault is ready at the public origin of the card form, and of this mode. */
async function lookAtForm(formOrigin: string, mode: string): Promise<Finding> {
  const what = 'vault';
  const url = `${formOrigin}/readyz`;
  const answer = await readPage(url);
  const mend = 'start the vault, and let the proxy of that origin pass everything to VAULT_PORT';
  if (typeof answer === 'string')
    return wrongFinding(what, `${url} does not answer: ${answer}`, mend);
  const body = parsed(answer.text);
  // A service that is served at this origin too answers with the state of its database.
  if (body?.mode === undefined || body.isMigrated !== undefined) {
    return wrongFinding(what, `${url} is not answered by a vault: status ${answer.status}`, mend);
  }
  if (body.mode !== mode) {
    const said = `runs in mode ${body.mode}, the service in mode ${mode}: the cards that it takes cannot be charged`;
    return wrongFinding(what, said, `set VAULT_MODE=${mode}`);
  }
  return body.status === 'ready'
    ? goodFinding(what, `ready at ${formOrigin}`)
    : wrongFinding(
        what,
        'not ready: nobody can type a card',
        'read the log of the vault, and look at its database',
      );
}

/** Compares this clock with the provider's: notices are refused by their time. */
async function lookAtClock(providerUrl: string, nowMs: () => number): Promise<Finding> {
  const what = "provider's time";
  const answer = await readPage(providerUrl);
  if (typeof answer === 'string') {
    return wrongFinding(
      what,
      `${providerUrl} does not answer: ${answer}`,
      'let this machine reach it: check name server, firewall and proxy',
    );
  }
  // biome-ignore lint/plugin: an HTTP date, RFC 9110
  const date = Date.parse(answer.headers.get('date') ?? '');
  if (Number.isNaN(date))
    return noteFinding(what, `${providerUrl} answers without a date: its clock cannot be compared`);
  const skewMs = Math.abs(date - nowMs());
  return skewMs > mostSkewMs
    ? wrongFinding(
        what,
        `${Math.round(skewMs / 1000)} s away: notices of the provider are refused by their time`,
        'run a time service (chrony, systemd-timesyncd)',
      )
    : goodFinding(what, `${Math.round(skewMs / 1000)} s away`);
}

/** Returns the origin of the bank's page; a sandbox plays the bank itself. */
const bankOrigin = (mode: string, providerUrl: string): string =>
  mode === 'sandbox' ? new URL(providerUrl).origin : 'https://hooks.stripe.com';

type Addresses = {
  readonly providerUrl: string;
  /** A merchant's page that embeds the card form; null when none was named. */
  readonly pageUrl: string | null;
  readonly nowMs: () => number;
};

/** Checks the addresses of service, vault and provider. */
export async function examineAddresses(ports: Ports, wish: Addresses): Promise<Finding[]> {
  const { baseUrl, formOrigin, mode } = ports.settings;
  const service = { what: 'proxies of the service', setting: 'SVC_TRUSTED_PROXIES' };
  const form = { what: 'proxies of the form', setting: 'VAULT_TRUSTED_PROXIES' };
  const { hostname } = new URL(baseUrl);
  const looks = [
    judgeCertificates(ports, wish.nowMs()),
    lookAtService(baseUrl, mode),
    lookAtForm(formOrigin, mode),
    lookAtClock(wish.providerUrl, wish.nowMs),
    lookAtProxies(baseUrl, { ...service, host: hostname }),
    lookAtProxies(formOrigin, form),
    lookAtPlain('plain http', baseUrl),
    lookAtPlain('plain http of the form', formOrigin),
  ];
  return (await Promise.all(looks)).flat();
}

/** Checks the policy of a merchant's page; no page, no findings. */
export async function examinePage(
  ports: Ports,
  { pageUrl, providerUrl }: Addresses,
): Promise<Finding[]> {
  if (pageUrl === null) return [];
  const { mode, baseUrl, formOrigin } = ports.settings;
  const answer = await readPage(pageUrl, { redirect: 'follow' });
  if (typeof answer === 'string') {
    const mend = 'give --csp the address at which a browser opens the page';
    return [wrongFinding("merchant's page", `${pageUrl} does not answer: ${answer}`, mend)];
  }
  const { headers, text, status } = answer;
  if (status !== 200) {
    const mend = 'give --csp a page that opens without a sign-in';
    return [wrongFinding("merchant's page", `${pageUrl} answers with status ${status}`, mend)];
  }
  const isolation = headers.get('cross-origin-embedder-policy') ?? 'unsafe-none';
  return judgePolicy(
    {
      policies: policiesOf(headers.get('content-security-policy'), text),
      isIsolated: !isolation.startsWith('unsafe-none'),
      mode,
    },
    {
      page: new URL(pageUrl).origin,
      form: formOrigin,
      service: new URL(baseUrl).origin,
      bank: bankOrigin(mode, providerUrl),
    },
  );
}
