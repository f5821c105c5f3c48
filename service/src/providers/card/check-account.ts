// Checks whether an account at the card provider is usable: its keys are tried with one call for
// each right that the service needs. Nothing is charged; one setup intent is made and cancelled.

import { isLoopbackHost } from '@svc/contract/servers/loopback';
import { cardProviderVersion } from '@svc/contract/vault/vault';
import type Stripe from 'stripe';
import { markMetadata } from '../../domain/protocol/marks.ts';
import type { AccountCheck, AccountToCheck, OpenedWebhook } from '../../engine/ports.ts';
import { noticeTypes } from './notice-types.ts';
import { read, startCall, type Wire, type WireAnswer, type WireSettings } from './wire.ts';

type Options = { timeout: number };
type PermissionProbe = readonly [
  right: string,
  ask: (sdk: Stripe, options: Options) => Promise<object>,
];

const noSecret =
  'not stored, so notices are refused: svc gateways change --keys stores it, as "noticeSecret"';

const heldBack = 'not asked: other calls to the account have waited longer; try again';

/** The end of ids that no account has: a key with the right gets 404, one without it 403. */
const none = 'svccheck000000000000';

/** Each right, and a call that changes nothing. */
const tries: readonly PermissionProbe[] = [
  [
    'payment_intents.write',
    (sdk, o) => sdk.paymentIntents.update(`pi_${none}`, { metadata: {} }, o),
  ],
  ['payment_intents.read', (sdk, o) => sdk.paymentIntents.list({ limit: 1 }, o)],
  ['charges.read', (sdk, o) => sdk.charges.list({ limit: 1 }, o)],
  ['balance_transactions.read', (sdk, o) => sdk.balanceTransactions.list({ limit: 1 }, o)],
  ['refunds.write', (sdk, o) => sdk.refunds.update(`re_${none}`, { metadata: {} }, o)],
  ['refunds.read', (sdk, o) => sdk.refunds.list({ limit: 1 }, o)],
  ['disputes.read', (sdk, o) => sdk.disputes.list({ limit: 1 }, o)],
  ['radar.read', (sdk, o) => sdk.radar.earlyFraudWarnings.list({ limit: 1 }, o)],
  ['reviews.read', (sdk, o) => sdk.reviews.list({ limit: 1 }, o)],
  ['events.read', (sdk, o) => sdk.events.list({ limit: 1 }, o)],
  ['customers.write', (sdk, o) => sdk.customers.update(`cus_${none}`, { metadata: {} }, o)],
  ['customers.read', (sdk, o) => sdk.customers.list({ limit: 1 }, o)],
  ['payment_methods.write', (sdk, o) => sdk.paymentMethods.detach(`pm_${none}`, {}, o)],
  ['payment_methods.read', (sdk, o) => sdk.paymentMethods.retrieve(`pm_${none}`, {}, o)],
  ['setup_intents.write', (sdk, o) => sdk.setupIntents.cancel(`seti_${none}`, {}, o)],
  ['setup_intents.read', (sdk, o) => sdk.setupIntents.list({ limit: 1 }, o)],
];

/** The status and the provider's request id, for a person who asks the provider's support. */
const cause = ({ trace, ...answer }: WireAnswer<unknown>): string => {
  if (answer.kind === 'lost') return answer.isHeldBack ? heldBack : 'no answer';
  return `${trace.httpStatus}${trace.requestId ? `, ${trace.requestId}` : ''}`;
};

const goodCheck = (what: string, said: string): AccountCheck => ({ what, verdict: 'good', said });
const wrongCheck = (what: string, said: string): AccountCheck => ({ what, verdict: 'wrong', said });
const noteCheck = (what: string, said: string): AccountCheck => ({ what, verdict: 'note', said });

type Keys = {
  /** SDK clients with the secret key and with the publishable key. */
  readonly secret: Stripe;
  readonly publishable: Stripe;
  readonly settings: WireSettings;
};

/** Tries the keys of an account. Never throws; a check that got no answer counts as wrong. */
export async function checkAccount(
  keys: Keys,
  wish: AccountToCheck,
): Promise<readonly AccountCheck[]> {
  const wire = startCall(keys.secret, keys.settings);
  const account = await checkId(wire, wish);
  // When the key itself is refused, the other checks would show nothing.
  if (account.isKeyRefused) return account.checks;
  const [rights, pair, webhook] = await Promise.all([
    Promise.all(tries.map((one) => probePermission(wire, one))),
    checkPair(wire, keys),
    wish.noticeUrl === null ? [] : checkWebhook(wire, { ...wish, noticeUrl: wish.noticeUrl }),
  ]);
  return [...account.checks, ...rights, pair, ...webhook];
}

async function checkId(
  wire: Wire,
  { gateway, mode }: AccountToCheck,
): Promise<{ checks: AccountCheck[]; isKeyRefused: boolean }> {
  const answer = await read(wire, (options) => wire.sdk.accounts.retrieveCurrent({}, options));
  const isKeyRefused = answer.kind === 'lost' || answer.trace.httpStatus === 401;
  if (answer.kind === 'lost')
    return {
      checks: [wrongCheck('account', answer.isHeldBack ? heldBack : 'the provider gave no answer')],
      isKeyRefused,
    };
  if (answer.kind === 'error') {
    const said = isKeyRefused
      ? `the provider refuses the secret key (${cause(answer)}): copy it anew`
      : `the key may not read its account (${cause(answer)}): give it account.read`;
    const check = wrongCheck('account', said);
    if (!isKeyRefused) return { checks: [check], isKeyRefused };
    const { status, trace } = answer;
    const keyRefusal = { status, requestId: trace.requestId };
    return { checks: [{ ...check, keyRefusal }], isKeyRefused };
  }
  const { id, charges_enabled: takesCharges } = answer.value;
  const isSame = id === gateway.accountId;
  const ofAccount = isSame
    ? goodCheck('account', id)
    : wrongCheck('account', `the secret key is of ${id}, the gateway names ${gateway.accountId}`);
  const isFault = mode === 'live' ? wrongCheck : noteCheck;
  const charges = takesCharges
    ? goodCheck('charges', 'enabled')
    : isFault('charges', 'not enabled: complete the account in the dashboard of the provider');
  return { checks: [ofAccount, charges], isKeyRefused };
}

async function probePermission(wire: Wire, [right, ask]: PermissionProbe): Promise<AccountCheck> {
  const what = `right ${right}`;
  // The calls have different result types, but only `id` is read.
  const answer = await read(wire, (options) => ask(wire.sdk, options) as Promise<{ id?: string }>);
  const isUnderstood =
    answer.kind === 'ok' || (answer.kind === 'error' && [400, 402, 404].includes(answer.status));
  if (isUnderstood) return goodCheck(what, 'given');
  const isMissing = answer.kind === 'error' && answer.status === 403;
  return wrongCheck(
    what,
    isMissing
      ? `missing (${cause(answer)}): give it to the key in the dashboard of the provider`
      : `could not be tried (${cause(answer)})`,
  );
}

/** An object that one key creates can be read with the other only if both belong to one account. */
async function checkPair(wire: Wire, keys: Keys): Promise<AccountCheck> {
  const what = 'publishable key';
  const made = await read(wire, (options) =>
    wire.sdk.setupIntents.create(
      {
        allowed_payment_method_types: ['card'],
        usage: 'off_session',
        metadata: markMetadata(wire.making),
      },
      options,
    ),
  );
  if (made.kind !== 'ok') return wrongCheck(what, `could not be tried (${cause(made)})`);
  const { id, client_secret: secret } = made.value;
  const other = startCall(keys.publishable, keys.settings);
  const seen = await read(other, (options) =>
    other.sdk.setupIntents.retrieve(id, { client_secret: secret ?? '' }, options),
  );
  await read(wire, (options) => wire.sdk.setupIntents.cancel(id, {}, options));
  if (seen.kind === 'ok') return goodCheck(what, 'of the same account as the secret key');
  if (seen.trace.httpStatus === 401) {
    return wrongCheck(what, `the provider refuses it (${cause(seen)}): copy it anew`);
  }
  const isOther = seen.trace.httpStatus === 404;
  return wrongCheck(
    what,
    isOther ? 'of another account than the secret key' : `could not be tried (${cause(seen)})`,
  );
}

async function checkWebhook(
  wire: Wire,
  wish: { readonly noticeUrl: string; readonly hasNoticeSecret: boolean },
): Promise<AccountCheck[]> {
  const { noticeUrl } = wish;
  const what = 'webhook';
  const secret = wish.hasNoticeSecret ? [] : [wrongCheck('notice secret', noSecret)];
  const answer = await read(wire, (options) =>
    wire.sdk.webhookEndpoints.list({ limit: 100 }, options),
  );
  if (answer.kind !== 'ok')
    return [wrongCheck(what, `cannot be listed (${cause(answer)})`), ...secret];
  const endpoint = answer.value.data.find(({ url }) => url === noticeUrl);
  if (!endpoint && isOfThisMachine(noticeUrl)) {
    const how = 'the provider cannot reach this machine: forward notices with its command line';
    return [noteCheck(what, how), ...secret];
  }
  if (!endpoint) {
    const thin = 'an event destination that sends thin events does not count';
    const said = `none sends snapshot events to ${noticeUrl} (${thin}): svc gateways change --webhook create makes one`;
    return [wrongCheck(what, said), ...secret];
  }
  return [judgeEndpoint(endpoint), ...secret];
}

function judgeEndpoint({ id, status, enabled_events: types }: Stripe.WebhookEndpoint) {
  const what = 'webhook';
  if (status !== 'enabled')
    return wrongCheck(what, `${id} is disabled: enable it in the dashboard`);
  const missing = types.includes('*') ? [] : noticeTypes.filter((type) => !types.includes(type));
  if (missing.length > 0)
    return wrongCheck(what, `${id} does not send ${missing.join(', ')}: add these events there`);
  return goodCheck(what, `${id} sends what is needed`);
}

const isOfThisMachine = (url: string): boolean => isLoopbackHost(new URL(url).hostname);

/** Creates the endpoint for notices at the provider. The provider returns its secret only in this answer. */
export async function openWebhook(
  sdk: Stripe,
  settings: WireSettings,
  noticeUrl: string,
): Promise<OpenedWebhook> {
  const wire = startCall(sdk, settings);
  const listed = await read(wire, (options) =>
    wire.sdk.webhookEndpoints.list({ limit: 100 }, options),
  );
  if (listed.kind !== 'ok') return { kind: 'refused', said: `cannot be listed (${cause(listed)})` };
  const known = listed.value.data.find(({ url }) => url === noticeUrl);
  if (known) {
    const said = `${known.id} has this address already: give its secret with --keys, or delete it there`;
    return { kind: 'refused', said };
  }
  const made = await read(wire, (options) =>
    wire.sdk.webhookEndpoints.create(
      {
        url: noticeUrl,
        enabled_events: [...noticeTypes],
        // The SDK's type contains only the version that it was made for.
        api_version: cardProviderVersion as Stripe.WebhookEndpointCreateParams.ApiVersion,
        description: 'Notices for Svc',
        metadata: markMetadata(wire.making),
      },
      options,
    ),
  );
  if (made.kind === 'ok' && made.value.secret) return { kind: 'made', secret: made.value.secret };
  const message = made.kind === 'error' ? `: ${made.error.message}` : '';
  return { kind: 'refused', said: `the provider did not make it (${cause(made)})${message}` };
}
