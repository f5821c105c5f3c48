// The buyer's browser: pays what the storefront got, with a test card, at Svc or at the provider.

import type { Block } from '@svc/tools/start/block';
import { cardToken, json, type OpenForm } from '@svc/tools/start/card-token';
import type { Payable } from './shop.ts';

const goodCard = '4242424242424242';
export const declinedCard = '4000000000000002';
/** Its refunds succeed, and the bank sends them back later. */
export const lateFailure = '4000000000005126';
/** Its refunds are on their way for a while. */
export const slowRefund = '4000000000007726';

type Card = { readonly number?: string | undefined; readonly saves?: boolean | undefined };

/** Returns what became of it: 'paid', or the words of the refusal. */
export async function pay(block: Block, payable: Payable, card: Card = {}): Promise<string> {
  const { number = goodCard, saves = false } = card;
  return payable.kind === 'svc'
    ? payAtSvc(block, payable, { number, saves })
    : payAtProvider(block, payable, number);
}

async function payAtSvc(
  block: Block,
  { sessionId, nonce }: Payable & { kind: 'svc' },
  { number, saves }: { number: string; saves: boolean },
): Promise<string> {
  const at = `${block.apiUrl}/v1/checkouts/sessions/${sessionId}`;
  const headers = { 'x-checkout-session-token': nonce, 'content-type': 'application/json' };
  const session = await json(at, { headers });
  // Another tab has replaced it: the page says so, and has no form.
  if (!session.vault) return `the session is ${session.status}`;
  const token = await cardToken(block, session as unknown as OpenForm, {
    number,
    driver: 'own-vault',
  });
  const { userId, externalId, email } = session.accountData as Record<string, string | null>;
  const accountData = { userId: externalId ?? userId ?? '', email };
  const answer = await fetch(`${at}/process`, {
    method: 'POST',
    headers: { ...headers, 'x-user-id': accountData.userId },
    body: JSON.stringify({
      sessionId,
      tokenizedData: {
        ...{ provider: 'cardprovider', type: 'card', token },
        ...(saves ? { saveForLater: true } : {}),
      },
      accountData,
    }),
  });
  return answer.ok ? 'paid' : await answer.text();
}

async function payAtProvider(
  block: Block & { builtInKey?: string },
  { clientSecret }: Payable & { kind: 'built-in' },
  number: string,
): Promise<string> {
  const [intent = ''] = clientSecret.split('_secret_');
  const body = new URLSearchParams({
    key: block.builtInKey ?? block.providerPublishableKey,
    client_secret: clientSecret,
    return_url: 'http://127.0.0.1/back',
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': number,
    'payment_method_data[card][exp_month]': '12',
    'payment_method_data[card][exp_year]': '2034',
    'payment_method_data[card][cvc]': '123',
  });
  const url = `${block.sandboxUrl}/v1/payment_intents/${intent}/confirm`;
  const answer = await fetch(url, { method: 'POST', body });
  return answer.ok ? 'paid' : await answer.text();
}
