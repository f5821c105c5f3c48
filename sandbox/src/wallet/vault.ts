// Vault v3: a payer agrees once (a setup token), and the agreement can be charged repeatedly (a payment
// token).
import { required, unprocessable, WalletError } from './errors.ts';
import { nextCustomer, nextId } from './identifiers.ts';
import { announceToken, insertPaymentToken } from './order-moves.ts';
import { readRequired, readText, readUrl } from './read.ts';
import { showPaymentToken, showSetupToken } from './shapes.ts';
import { fieldsOf, type WalletCall, type WalletRoute } from './wallet.ts';

const paypal = '/payment_source/paypal';
const context = `${paypal}/experience_context`;
const customerPattern = /^[0-9a-zA-Z_-]+$/;

const assertKeyed = (call: WalletCall): void => {
  if (call.idempotencyKey === null) throw new WalletError(400, 'PAYPAL_REQUEST_ID_REQUIRED');
};

const createSetup = (call: WalletCall) => {
  assertKeyed(call);
  const { body } = call;
  if (fieldsOf(fieldsOf(body).payment_source).paypal === undefined) throw required(paypal);
  const given = readText(body, '/customer/id', { max: 22, pattern: customerPattern });
  const token = {
    account: call.account,
    object: {
      id: nextId(call.core.ids),
      status: 'PAYER_ACTION_REQUIRED' as const,
      customerId: given ?? nextCustomer(call.core.ids),
      usageType: readText(body, `${paypal}/usage_type`, { max: 255 }),
      description: readText(body, `${paypal}/description`, { max: 128 }),
      returnUrl: readUrl(body, `${context}/return_url`),
      cancelUrl: readUrl(body, `${context}/cancel_url`),
      payerId: null,
      behaviour: 'completes' as const,
    },
  };
  call.wallet.objects.insert('setup_token', token);
  return { status: 201, body: showSetupToken(call, token) };
};

const readSetup = (call: WalletCall) => {
  const token = call.wallet.objects.get('setup_token', call.id, call.account);
  return { status: 200, body: showSetupToken(call, token) };
};

const createToken = (call: WalletCall) => {
  assertKeyed(call);
  const id = readRequired(call.body, '/payment_source/token/id', { max: 255 });
  const type = readRequired(call.body, '/payment_source/token/type', { max: 255 });
  if (type !== 'SETUP_TOKEN') throw unprocessable('UNSUPPORTED_PAYMENT_SOURCE');
  const setup = call.wallet.objects.get('setup_token', id, call.account);
  const { status, payerId, customerId, usageType, behaviour } = setup.object;
  // A setup token can be exchanged only once. A repeat of the same request gets the remembered response.
  if (status !== 'APPROVED' || payerId === null) throw unprocessable('SETUP_TOKEN_NOT_APPROVED');
  setup.object.status = 'VAULTED';
  call.wallet.objects.save(setup);
  const token = insertPaymentToken(call, { customerId, payerId, usageType, behaviour }, id);
  return { status: 201, body: showPaymentToken(call, token) };
};

const readToken = (call: WalletCall) => {
  const token = call.wallet.objects.get('payment_token', call.id, call.account);
  return { status: 200, body: showPaymentToken(call, token) };
};

const readPage = (call: WalletCall, name: string, limits: [number, number]): number => {
  const value = Number(call.query.get(name) ?? limits[0]);
  if (Number.isInteger(value) && value >= 1 && value <= limits[1]) return value;
  throw new WalletError(400, 'INVALID_PARAMETER_VALUE', { field: `/${name}` });
};

const listTokens = (call: WalletCall) => {
  const customer = call.query.get('customer_id');
  if (customer === null) throw required('/customer_id');
  const size = readPage(call, 'page_size', [5, 20]);
  const page = readPage(call, 'page', [1, 10]);
  const all = call.wallet.objects.listMarked('payment_token', call.account, customer);
  const shown = all.slice((page - 1) * size, page * size);
  const self = `${call.core.baseUrl()}/v3/vault/payment-tokens?customer_id=${customer}`;
  const totals = { total_items: all.length, total_pages: Math.ceil(all.length / size) };
  return {
    status: 200,
    body: {
      ...(call.query.get('total_required') === 'true' ? totals : {}),
      customer: { id: customer },
      payment_tokens: shown.map((token) => showPaymentToken(call, token)),
      links: [{ href: self, rel: 'self', method: 'GET' }],
    },
  };
};

/**
 * Deletes a token. A missing token, or one of another account, gives the same response and changes nothing.
 */
const removeToken = (call: WalletCall) => {
  const token = call.wallet.objects.find('payment_token', call.id);
  if (token?.account === call.account) {
    announceToken(call, 'DELETED', token);
    call.wallet.objects.remove(call.id);
  }
  return { status: 204 };
};

export const vaultRoutes: WalletRoute[] = [
  { method: 'POST', path: '/v3/vault/setup-tokens', keeps: 'vault', run: createSetup },
  { method: 'GET', path: '/v3/vault/setup-tokens/:id', run: readSetup },
  { method: 'POST', path: '/v3/vault/payment-tokens', keeps: 'vault', run: createToken },
  { method: 'GET', path: '/v3/vault/payment-tokens', run: listTokens },
  { method: 'GET', path: '/v3/vault/payment-tokens/:id', run: readToken },
  { method: 'DELETE', path: '/v3/vault/payment-tokens/:id', run: removeToken },
];
