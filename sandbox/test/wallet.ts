// What the wallet's tests share: a sandbox with one account, a plain client, functions for the controls,
// and the comparison of every exchange with the wire's description.
import { type Exchange, type SandboxOptions, startSandbox } from '../src/index.ts';
import type { WalletAccount } from '../src/wallet/accounts.ts';
import { openReference, type Reference } from '../src/wallet/reference.ts';
import { createControl } from './sandbox.ts';

export type Json = Record<string, unknown>;
export type Answer = { status: number; body: Json; issue: string | undefined };
export type Sending = { key?: string; body?: unknown; brief?: boolean };

export type WalletBench = Awaited<ReturnType<typeof openWalletBench>>;

const issueOf = (body: Json): string | undefined =>
  (body.details as { issue: string }[] | undefined)?.[0]?.issue;

const grant = async (url: string, { clientId, clientSecret }: WalletAccount): Promise<string> => {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const answer = await fetch(`${url}/v1/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: 'grant_type=client_credentials',
  });
  return ((await answer.json()) as { access_token: string }).access_token;
};

type Account = { accountId: string; wallet: WalletAccount };

export const openWalletBench = async (
  options: SandboxOptions = {},
  reference: Reference = openReference(),
) => {
  const exchanges: Exchange[] = [];
  const sandbox = await startSandbox({
    limits: null,
    ...options,
    onWalletExchange: (exchange) => exchanges.push(exchange),
  });
  const control = createControl(sandbox.url);
  const account = await control.post<Account>('/accounts', { name: 'tests' });
  const token = await grant(sandbox.url, account.wallet);
  const call = async (method: string, path: string, sending: Sending = {}): Promise<Answer> => {
    const { key, body, brief = false } = sending;
    const answer = await fetch(sandbox.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'paypal-request-id': key }),
        ...(brief ? {} : { prefer: 'return=representation' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const read = (text === '' ? {} : JSON.parse(text)) as Json;
    return { status: answer.status, body: read, issue: issueOf(read) };
  };
  /**
   * Returns what is wrong with the calls since the last time. Compared here, so that no response waits for
   * it.
   */
  const listComplaints = (): string[] =>
    exchanges.splice(0).flatMap((exchange) => reference.compare(exchange));
  return { sandbox, control, ...account, token, call, complaints: listComplaints };
};

/** Returns an order's body: one purchase of 19.90 EUR by default. */
export const orderBody = (unit: object = {}, more: object = {}): object => ({
  intent: 'CAPTURE',
  purchase_units: [{ amount: { currency_code: 'EUR', value: '19.90' }, ...unit }],
  ...more,
});

/** Makes an order that its payer has approved. */
export const approvedOrder = async (
  { call, control }: WalletBench,
  behaviour = 'completes',
  unit: object = {},
): Promise<string> => {
  const { body } = await call('POST', '/v2/checkout/orders', { body: orderBody(unit) });
  const id = String(body.id);
  await control.post(`/wallet/orders/${id}/approve`, { behaviour });
  return id;
};

type CaptureSummary = { id: string; status: string };

/** Returns the captures that an order shows. */
export const capturesOf = (order: Json): CaptureSummary[] => {
  const [unit] = order.purchase_units as { payments?: { captures?: CaptureSummary[] } }[];
  return unit?.payments?.captures ?? [];
};
