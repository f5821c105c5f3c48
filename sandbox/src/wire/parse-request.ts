// What is known of a call before it runs: whose it is, its version, its parameters and its planted fault.
import type { FastifyRequest } from 'fastify';
import { assertMayCall, assertRight, authenticate, type Credential } from '../accounts/accounts.ts';
import type { Core, Route } from '../core/core.ts';
import { ApiError } from '../requests/errors.ts';
import { parseForm, type RawValues } from '../requests/form.ts';
import { pinnedVersion, readVersion } from '../requests/versions.ts';
import type { Fault } from '../state/faults.ts';
import { assertKeyLength, fingerprintOf, type KeyedCall } from '../state/idempotency.ts';

export type ParsedRequest = {
  route: Route;
  request: string;
  method: string;
  path: string;
  id: string;
  credential: Credential | undefined;
  version: string;
  /** The call comes from one of the provider's own fields. */
  isHostedField: boolean;
  /** The parameters as they were sent. */
  form: string;
  raw: RawValues;
  keyed: KeyedCall | undefined;
  idempotencyKey: string | null;
  fault: Fault | undefined;
};

/**
 * The header's credential, or the publishable key that a browser sends as `key` in the body. A browser asks
 * no other origin first about a form without a header.
 */
const credentialOf = ({ headers, body }: FastifyRequest): string | undefined => {
  if (headers.authorization !== undefined) return headers.authorization;
  const key = typeof body === 'string' ? /(?:^|&)key=(pk_[^&]+)/.exec(body)?.[1] : undefined;
  return key && `Bearer ${key}`;
};

/** What the provider's browser library adds to its calls about itself and the page. */
export const byBrowser: readonly string[] = [
  'key',
  'payment_user_agent',
  'client_attribution_metadata',
  'guid',
  'muid',
  'pasted_fields',
  'referrer',
  'sid',
  'time_on_page',
];

const findAccount = (core: Core, request: FastifyRequest): string | undefined => {
  try {
    return authenticate(core.store, credentialOf(request)).account;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};

const takeFault = (core: Core, request: FastifyRequest, path: string): Fault | undefined => {
  const key = request.headers['idempotency-key'];
  return core.faults.takeForCall({
    method: request.method,
    path,
    findAccount: () => findAccount(core, request),
    isKeyRemembered: () => {
      const account = findAccount(core, request);
      return account !== undefined && typeof key === 'string' && core.memory.knows(account, key);
    },
    isConfirming: () => /(^|&)confirm=true(&|$)/.test(String(request.body ?? '')),
  });
};

export const receive = (core: Core, route: Route, request: FastifyRequest): ParsedRequest => {
  const path = request.url.split('?')[0] ?? '';
  const params = request.params as { id?: string };
  const key = request.headers['idempotency-key'];
  return {
    route,
    request: core.ids.next('req_', 14),
    method: request.method,
    path,
    id: params.id ?? '',
    credential: undefined,
    version: pinnedVersion,
    isHostedField: false,
    form: '',
    raw: {},
    keyed: undefined,
    idempotencyKey: typeof key === 'string' && key !== '' ? key : null,
    fault: takeFault(core, request, path),
  };
};

/** Reads credential, version and parameters; throws what the provider refuses before it runs a call. */
export const readRequest = (core: Core, received: ParsedRequest, request: FastifyRequest): void => {
  received.version = readVersion(request.headers['stripe-version'], core.takesOlderVersions);
  received.credential = authenticate(core.store, credentialOf(request));
  assertMayCall(received.credential, received.route.isPublic ?? false);
  assertRight(received.credential, received.route);
  const onBehalf = request.headers['stripe-account'];
  if (onBehalf !== undefined && onBehalf !== received.credential.account) {
    throw noAccess(String(onBehalf));
  }
  const query = request.url.split('?')[1] ?? '';
  const body = typeof request.body === 'string' ? request.body : '';
  received.form = received.method === 'POST' ? body : query;
  received.raw = parseForm(received.form);
  if (received.credential.key === 'publishable') {
    received.isHostedField = String(received.raw.payment_user_agent).startsWith('stripe.js/');
    for (const name of byBrowser) delete received.raw[name];
  }
  if (received.method !== 'POST' || received.idempotencyKey === null) return;
  assertKeyLength(received.idempotencyKey);
  received.keyed = {
    account: received.credential.account,
    key: received.idempotencyKey,
    fingerprint: fingerprintOf(received.method, received.path, received.raw),
  };
};

const noAccess = (account: string) =>
  new ApiError(403, {
    type: 'invalid_request_error',
    code: 'account_invalid',
    message: `The provided key does not have access to account '${account}'.`,
  });
