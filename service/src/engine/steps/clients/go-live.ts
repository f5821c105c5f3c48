// What a merchant needs before real money, step by step. Every state is read: nobody ticks a step. Additions §2.

import type { Mode } from '@svc/contract/servers/modes';
import type { GoLive, ProviderAccount } from '@svc/contract/settings/provider-accounts';
import type { Client } from '../../../storage/clients/clients.ts';
import type { Readiness } from '../../../storage/clients/readiness.ts';

type GoLiveFacts = {
  readonly client: Client;
  readonly mode: Mode;
  readonly hasMailServer: boolean;
  /** Those in use. */
  readonly accounts: readonly ProviderAccount[];
  readonly readiness: Readiness;
};

type Step = GoLive['steps'][number];
type Found = Pick<Step, 'state'> &
  Partial<Pick<Step, 'missing'>> & { readonly since?: Date | null };

/** Done since that instant; open without one. */
const doneAt = (since: Date | null): Found => ({ state: since ? 'done' : 'open', since });
const doneIf = (isDone: boolean, otherwise: Step['state'] = 'open'): Found => ({
  state: isDone ? 'done' : otherwise,
});

function keysStep({ accounts }: GoLiveFacts): Found {
  if (accounts.some(({ keys }) => keys.status === 'refused')) return { state: 'failing' };
  return doneIf(accounts.length > 0 && accounts.every(({ keys }) => keys.status === 'accepted'));
}

function noticesStep({ accounts }: GoLiveFacts): Found {
  const statuses = accounts.map(({ notices }) => notices.status);
  if (statuses.some((status) => status === 'refused' || status === 'missing')) {
    return { state: 'failing' };
  }
  return doneIf(statuses.length > 0 && statuses.every((status) => status === 'arriving'));
}

/** What buyers are to know of the seller. The tax number is not asked for: small sellers may have none. */
const businessFields = [
  'businessName',
  'businessAddress',
  'supportEmail',
  'termsUrl',
] as const satisfies readonly (keyof Client)[];

function businessStep({ client }: GoLiveFacts): Found {
  const missing = businessFields.filter((name) => client[name] === null);
  return { ...doneIf(missing.length === 0), missing };
}

/** A shop that asks for its payments, or ships by hand, needs no endpoint. */
function endpointStep({ readiness }: GoLiveFacts): Found {
  const { endpoints, failingEndpoints, lastDeliveryAt } = readiness;
  if (endpoints === 0) return { state: 'optional' };
  return failingEndpoints > 0 ? { state: 'failing' } : doneAt(lastDeliveryAt);
}

const finders: Readonly<Record<Step['step'], (facts: GoLiveFacts) => Found>> = {
  provider_keys: keysStep,
  provider_notices: noticesStep,
  product: ({ readiness }) => doneIf(readiness.products > 0),
  test_purchase: ({ readiness }) => doneAt(readiness.firstPurchaseAt),
  test_refund: ({ readiness }) => doneIf(readiness.hasRefund),
  business_details: businessStep,
  webhook_endpoint: endpointStep,
  two_step: ({ readiness: { withoutSecondProof } }) => ({
    ...doneIf(withoutSecondProof.length === 0),
    missing: [...withoutSecondProof],
  }),
  second_owner: ({ readiness }) => doneIf(readiness.owners > 1, 'optional'),
  mail_server: ({ hasMailServer }) => doneIf(hasMailServer),
  live_account: ({ client, accounts }) => doneIf(client.isLive && accounts.length > 0),
};

/** Returns the steps in the order of `finders`, which is the order in which they are taken. */
export function goLiveOf(facts: GoLiveFacts): GoLive {
  const steps = Object.entries(finders).map(([step, find]) => {
    const { state, since, missing = [] } = find(facts);
    return {
      ...{ step: step as Step['step'], state, missing },
      since: since?.toISOString() ?? null,
    };
  });
  return {
    object: 'go_live',
    mode: facts.mode,
    livemode: facts.client.isLive,
    ready: steps.every(({ state }) => state === 'done' || state === 'optional'),
    steps,
  };
}
