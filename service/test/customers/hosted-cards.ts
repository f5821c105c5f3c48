// Cards that are typed into the provider's own fields, for the vault's driver `provider-fields`.

import { sql } from '../../src/storage/database/sql.ts';
import { type Checkout, parentsOf, type World } from '../world.ts';

type ProviderObject = { readonly id?: string } & Record<string, unknown>;

/**
 * Calls the sandbox's API with the secret key of the world's account, unless another key is named.
 */
export async function askProvider(
  world: World,
  path: string,
  fields: Record<string, string>,
  key: string = world.account.secretKey,
): Promise<ProviderObject> {
  const answer = await fetch(`${world.sandbox.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: new URLSearchParams(fields),
  });
  return (await answer.json()) as ProviderObject;
}

/** The provider's method of a card, made in the buyer's browser. */
export async function aHostedMethod(
  world: World,
  number: string,
  publishableKey: string = world.account.publishableKey,
): Promise<string> {
  const fields = {
    type: 'card',
    'card[number]': number,
    'card[exp_month]': '12',
    'card[exp_year]': '2034',
    'card[cvc]': '123',
  };
  const made = await askProvider(world, 'payment_methods', fields, publishableKey);
  if (!made.id) throw new Error(`no method: ${JSON.stringify(made)}`);
  return made.id;
}

/** A card token for the method, made by the vault as the form makes it. */
export async function hostedToken(
  world: World,
  session: Checkout,
  paymentMethodId: string,
): Promise<string> {
  const { mountToken } = session;
  const response = await fetch(`${world.vault.url}/form/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: world.vault.url },
    body: JSON.stringify({ mountToken, parents: parentsOf(mountToken), paymentMethodId }),
  });
  const body = (await response.json()) as { token?: string };
  if (!body.token) throw new Error(`no card token: ${response.status} ${JSON.stringify(body)}`);
  return body.token;
}

type StoredCard = {
  readonly status: string;
  readonly failure_code: string | null;
  readonly method: string | null;
  readonly card: object | null;
};

const newest = sql<StoredCard>(
  'test_hosted_card',
  `select status, failure_code, provider_payment_method_id as method, card from payments
   where session_id = $1 order by created_at desc, id desc limit 1`,
);

/** Returns what is stored about the card of the session's newest payment. */
export async function storedCardOf(world: World, { sessionId }: Checkout): Promise<StoredCard> {
  const [row] = await world.database.read(newest, [sessionId]);
  if (!row) throw new Error('the session has no payment');
  return row;
}
