// Customers' own pages: the merchant makes the link, and the buyer's browser opens it.

import { refuse } from '../../src/engine/implement.ts';
import type { Caller, Ports } from '../../src/engine/ports.ts';
import { operations } from '../../src/operations/index.ts';
import { aCustomer, callerOf, type TestToken } from '../harness.ts';

const anonymous: Caller = { kind: 'anonymous', requestId: 'req_test', origin: null };

type LinkBody = Parameters<typeof operations.createCustomerPageLink>[0]['body'];

/** Returns the link's secret, which is the fragment of its address. */
export async function aPageLink(
  ports: Ports,
  { token, customerId, body = {} }: { token: TestToken; customerId: string; body?: LinkBody },
): Promise<{ link: string; url: string; expiresAt: string }> {
  const answer = await operations.createCustomerPageLink(
    { customerId, body },
    callerOf(token),
    ports,
    refuse,
  );
  if (!('body' in answer)) throw new Error('a link has a body');
  return { link: answer.body.url.split('#')[1] ?? '', ...answer.body };
}

export async function openLink(ports: Ports, link: string) {
  const answer = await operations.openCustomerPage({ body: { link } }, anonymous, ports, refuse);
  if (!('body' in answer)) throw new Error('an opened page has a body');
  return answer.body;
}

/** Returns the token of an opened page, of a new customer of the token's client. */
export async function aCustomerPage(ports: Ports, token: TestToken): Promise<string> {
  const customer = await aCustomer(ports.database, { id: token.clientId });
  const { link } = await aPageLink(ports, { token, customerId: customer.id });
  return (await openLink(ports, link)).pageToken;
}
