// What the operator hears of a provider's notices that were refused.

import type { RefusingGateway } from '../../../storage/gateways/refused-notices.ts';
import type { AccountCheck, NoticeFault } from '../../ports.ts';

/** What is wrong with a notice, and what the operator does about it. */
export const noticeRemedies: Readonly<Record<NoticeFault, string>> = {
  no_secret:
    'no secret is stored for this gateway: store that of the endpoint, svc gateways change --keys',
  wrong_secret:
    'the signature is not made with the secret of this gateway: copy the secret of the endpoint',
  old_timestamp: 'the signature is over five minutes old or early: set the clock of this machine',
  other_account: 'the notice is of another account than that of this gateway',
  other_mode: 'the notice is of another mode than this gateway: use the endpoint of its mode',
  thin_event: 'the notice does not contain its object: make the endpoint send snapshot events',
  not_understood: 'the notice is no event of the provider, or its wallet certificate is not valid',
};

type Refusals = Pick<RefusingGateway, 'refused' | 'since' | 'fault'>;

/** The start of a sentence: how many notices were refused, and since when. */
export const countRefusals = ({ refused, since }: Refusals): string =>
  `${refused} ${refused === 1 ? 'notice' : 'notices'} refused since ${since.toISOString()}`;

export const describeRefusals = (refusals: Refusals): string => {
  const remedy = noticeRemedies[refusals.fault as NoticeFault] ?? refusals.fault;
  return `${countRefusals(refusals)}, none accepted: ${remedy}`;
};

/** Judges what a gateway has refused since its last genuine notice; nothing where it refused none. */
export const judgeRefusals = (refusals: Refusals | null): AccountCheck[] =>
  refusals ? [{ what: 'notices', verdict: 'wrong', said: describeRefusals(refusals) }] : [];
