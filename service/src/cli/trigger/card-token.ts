// Makes a token of the hosted card form as the form itself does, with either driver of the vault.

import { CommandError } from '../line/command.ts';
import { ApiRefusal, callPlainly } from '../merchant/api.ts';
import type { Project } from '../merchant/project.ts';
import type { Bodies } from './trigger-overrides.ts';

export type CardSession = {
  readonly createdAt: string;
  readonly gateways: { readonly cardprovider: { readonly publishableKey: string } };
  readonly vault: {
    readonly formUrl: string;
    readonly formOrigin: string;
    readonly mountToken: string;
  };
};

type TriggerContext = { readonly project: Project; readonly bodies: Bodies };

export async function cardToken(
  session: CardSession,
  number: string,
  { project, bodies }: TriggerContext,
): Promise<string> {
  const { formUrl, formOrigin, mountToken } = session.vault;
  const mounted = {
    mountToken,
    // The token is valid where these pages embed the form.
    parents: new URL(formUrl).searchParams.get('parents')?.split('.')[1],
  };
  const card = bodies.of('card', {
    ...mounted,
    number,
    expiryMonth: 12,
    // Uses the service's clock, which the sandbox may have moved years ahead.
    expiryYear: new Date(session.createdAt).getUTCFullYear() + 3,
    cvc: '123',
  });
  const post = async (body: object) => {
    const path = 'POST /form/tokens';
    const headers = { origin: formOrigin };
    return (await callPlainly<{ token: string }>(formOrigin, path, { headers, body })).token;
  };
  try {
    return await post(card);
  } catch (error) {
    const isHosted = error instanceof ApiRefusal && error.code === 'raw_card_data_forbidden';
    if (!isHosted) throw error;
    const paymentMethodId = await hostedCard(session, card, project.sandboxUrl ?? '');
    return post({ ...mounted, paymentMethodId });
  }
}

/** Creates the provider's payment method, as its own fields do in a buyer's browser. */
async function hostedCard(
  { gateways }: CardSession,
  card: Readonly<Record<string, unknown>>,
  sandboxUrl: string,
): Promise<string> {
  const text = (name: string) => String(card[name] ?? '');
  const made = await fetch(`${sandboxUrl}/v1/payment_methods`, {
    method: 'POST',
    body: new URLSearchParams({
      key: gateways.cardprovider.publishableKey,
      payment_user_agent: 'stripe.js/trigger',
      type: 'card',
      'card[number]': text('number'),
      'card[exp_month]': text('expiryMonth'),
      'card[exp_year]': text('expiryYear'),
      'card[cvc]': text('cvc'),
    }),
  });
  const { id } = (await made.json()) as { id?: string };
  if (!id) throw new CommandError(`the sandbox made no payment method: status ${made.status}`);
  return id;
}
