// Mails to buyers that go by themselves, for merchants that switched them on: their events are followed in
// order, and each mail goes once. docs/decisions/buyers.md.

import { isEmail } from '@svc/contract/rows/schema';
import type { BuyerMailKind } from '@svc/contract/settings/buyer-mails';
import type { Subscription } from '../../../domain/payments/subscription.ts';
import { mailedLinkLifeMs, maskEmail } from '../../../domain/people/customer-page.ts';
import type { MailWords } from '../../../domain/people/mail.ts';
import { type Client, findClient } from '../../../storage/clients/clients.ts';
import { findCustomer, lockCustomer } from '../../../storage/customers/customers.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import {
  advanceCursor,
  type ExpiringCard,
  listExpiringCards,
  listMailingClients,
  lookAtCardsAgain,
  type MailingClient,
  takeAutomaticMail,
} from '../../../storage/notifications/buyer-mails.ts';
import { findPaymentLocale, findUserLocale } from '../../../storage/payments/buyer-locales.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import {
  type BuyerMail,
  insertBuyerMail,
  lockPaymentEmail,
} from '../../../storage/payments/receipts.ts';
import { findSubscription } from '../../../storage/subscriptions/subscriptions.ts';
import { type FollowedEvent, followEvents } from '../../../storage/webhooks/event-lists.ts';
import type { Ports } from '../../ports.ts';
import {
  cardExpiresWords,
  type Letter,
  refundFailedWords,
  renewalFailedWords,
  subscriptionEndsWords,
} from '../../steps/buyer-mails/buyer-words.ts';
import { showMerchant } from '../../steps/clients/show-client.ts';
import { makePageLink } from '../../steps/customers/make-page-link.ts';
import { queueMailToBuyer } from '../../steps/mails/queue-mail.ts';
import { lookAtCard } from '../../steps/payment-methods/refresh-card.ts';
import { receiptWords } from '../../steps/receipts/mail-words.ts';
import { readReceipt } from '../../steps/receipts/read-receipt.ts';
import { isUnderWay, refundMail } from '../../steps/receipts/tell-refund.ts';
import { writeAskedMails } from './write-asked-mails.ts';

type Pass = { readonly onError: (clientId: string, error: unknown) => void };

const step = 200;
const mailedLink = { returnUrl: null, lifeMs: mailedLinkLifeMs } as const;
/** Older events are skipped, for example after a long downtime. */
const tooOldMs = 72 * 3_600_000;

type EventMailKind = Exclude<BuyerMailKind, 'cardExpires'>;
const kindOf: Readonly<Record<string, EventMailKind>> = {
  'item.purchased': 'receipt',
  'payment.succeeded': 'receipt',
  'refund.created': 'refund',
  'refund.succeeded': 'refund',
  'refund.failed': 'refundFailed',
  'subscription.past_due': 'renewalFailed',
  'subscription.cancellation_scheduled': 'subscriptionEnds',
  'subscription.resumed': 'subscriptionEnds',
  'subscription.canceled': 'subscriptionEnds',
};

/**
 * Makes one pass over the mails that were asked for, and over the merchants that mail their buyers; more
 * than 0 where a backlog is left.
 */
export async function mailBuyers(ports: Ports, { onError }: Pass): Promise<number> {
  let followed = await writeAskedMails(ports, { onError });
  for (const mailing of await listMailingClients(ports.database)) {
    try {
      followed += await mailBuyersOf(mailing, ports);
    } catch (error) {
      onError(mailing.clientId, error);
    }
  }
  return followed;
}

type MailContext = {
  readonly mailing: MailingClient;
  readonly client: Client;
  readonly ports: Ports;
};

async function mailBuyersOf(mailing: MailingClient, ports: Ports): Promise<number> {
  const { clientId } = mailing;
  const { database } = ports;
  const events = await followEvents(database, clientId, { after: mailing.eventId, limit: step });
  if (events.length === 0 && !mailing.areCardsDue) return 0;
  const client = await findClient(database, clientId);
  if (!client) return 0;
  const scene = { mailing, client, ports };
  const now = (await readAskingTime(database)).getTime();
  for (const event of events) {
    const kind = kindOf[event.type];
    const since = kind && mailing.since[kind];
    if (!kind || !since || event.createdAt < since) continue;
    if (now - event.createdAt.getTime() < tooOldMs) await tellers[kind](scene, event);
  }
  const last = events.at(-1);
  if (last) await advanceCursor(database, mailing, last.id);
  if (mailing.areCardsDue) await mailAboutCards(scene);
  // Another pass follows at once only for a backlog: steady traffic is taken with each poll.
  return events.length === step ? events.length : 0;
}

type MailSubject = {
  readonly kind: BuyerMailKind;
  readonly subjectId: string;
  readonly stage?: string;
  readonly to: string | null;
  /** Called for a mail that was not sent yet. Returns null when no mail is to be sent. */
  readonly words: (tx: Tx) => Promise<MailWords | null>;
  /** What the payment's timeline shows. */
  readonly shown?: Pick<BuyerMail, 'paymentId' | 'kind'>;
};

/** Queues the mail, once. */
async function queueBuyerMail({ client, ports }: MailContext, told: MailSubject): Promise<void> {
  const { id: clientId } = client;
  const { kind, subjectId, stage = '', to, words, shown } = told;
  if (to === null || !isEmail(to)) return;
  await repeatWhenLost(() =>
    ports.database.transaction(clientId, async (tx) => {
      if (!(await takeAutomaticMail(tx, { kind, clientId, subjectId, stage }))) return;
      const written = await words(tx);
      if (!written) return;
      if (shown) {
        // The buyer may have been forgotten since the address was read.
        if ((await lockPaymentEmail(tx, clientId, shown.paymentId)) !== to) return;
        const sent = { id: ports.newId(), clientId, recipientMasked: maskEmail(to), ...shown };
        const isNew = await insertBuyerMail(tx, { ...sent, actorKind: 'system', sentBy: null });
        if (!isNew) return;
      }
      await queueMailToBuyer(tx, client, { ...written, to, kind: mailKinds[kind] }, ports);
    }),
  );
}

const mailKinds: Readonly<Record<BuyerMailKind, string>> = {
  receipt: 'buyer_receipt',
  refund: 'buyer_refund',
  refundFailed: 'buyer_refund_failed',
  renewalFailed: 'buyer_renewal_failed',
  cardExpires: 'buyer_card_expires',
  subscriptionEnds: 'buyer_subscription_ends',
};

type MailWriter = (scene: MailContext, event: FollowedEvent) => Promise<void>;

const mailReceipt: MailWriter = async (scene, { resourceId }) => {
  const { mailing, ports } = scene;
  const read = await readReceipt(mailing.clientId, resourceId, ports);
  if (typeof read === 'string') return;
  const { receipt, payment, pageUrl } = read;
  const { mode } = ports.settings;
  await queueBuyerMail(scene, {
    kind: 'receipt',
    subjectId: payment.id,
    to: payment.email,
    words: async () =>
      receiptWords({ ...receipt, pageUrl }, mode, await localeOf(scene, payment.id)),
    shown: { paymentId: payment.id, kind: 'receipt' },
  });
};

const localeOf = ({ mailing, ports }: MailContext, paymentId: string): Promise<string> =>
  findPaymentLocale(ports.database, mailing.clientId, paymentId);

const findRefund = ({ mailing, ports }: MailContext, { resourceId }: FollowedEvent) =>
  findPayment(ports.database, mailing.clientId, resourceId);

const mailRefund: MailWriter = async (scene, event) => {
  const refund = await findRefund(scene, event);
  if (!refund || !isUnderWay(refund)) return;
  const { name: seller } = showMerchant(scene.client);
  const { mode } = scene.ports.settings;
  await queueBuyerMail(scene, {
    kind: 'refund',
    subjectId: refund.id,
    to: refund.email,
    words: async () =>
      refundMail(refund, { seller, mode, locale: await localeOf(scene, refund.id) }),
    shown: { paymentId: refund.id, kind: 'refund' },
  });
};

/** A refund that the provider rejected at once was never announced to the buyer, so its failure is not either. */
const mailRefundFailed: MailWriter = async (scene, event) => {
  const refund = await findRefund(scene, event);
  if (refund?.status !== 'refund_failed' || refund.providerRefundId === null) return;
  await queueBuyerMail(scene, {
    kind: 'refundFailed',
    subjectId: refund.id,
    to: refund.email,
    words: async () => refundFailedWords(refund, letterOf(scene, await localeOf(scene, refund.id))),
    shown: { paymentId: refund.id, kind: 'refund_failed' },
  });
};

const letterOf = ({ client, ports }: MailContext, locale: string): Letter => ({
  client,
  mode: ports.settings.mode,
  locale,
});

type LinkedLetter = (letter: Letter, link: string | null) => MailWords;

/** Writes a letter with a link to the customer's page, where the merchant wants one; none to the forgotten. */
const withLink =
  ({ client, ports }: MailContext, userId: string, write: LinkedLetter) =>
  async (tx: Tx): Promise<MailWords | null> => {
    const { id: clientId, customerPage } = client;
    let link: string | null = null;
    if (customerPage.linkInMails) {
      const made = await makePageLink(tx, { clientId, userId, maker: null, ...mailedLink }, ports);
      if (!made) return null;
      link = made.url;
    } else {
      const isForgotten = await lockCustomer(tx, clientId, userId);
      if (isForgotten) return null;
    }
    const locale = await findUserLocale(ports.database, clientId, userId);
    return write({ client, mode: ports.settings.mode, locale }, link);
  };

const mailRenewalFailed: MailWriter = async (scene, { resourceId }) => {
  const { mailing, ports } = scene;
  const { clientId } = mailing;
  const subscription = await findSubscription(ports.database, clientId, resourceId);
  if (subscription?.status !== 'past_due') return;
  const { userId } = subscription;
  const customer = await findCustomer(ports.database, clientId, userId);
  await queueBuyerMail(scene, {
    kind: 'renewalFailed',
    subjectId: subscription.id,
    stage: subscription.currentPeriodEnd.toISOString(),
    to: customer?.email ?? null,
    words: withLink(scene, userId, (letter, link) =>
      renewalFailedWords(subscription, letter, link),
    ),
  });
};

/** Skips an event that a later one has overtaken: the later event has a mail of its own. */
const mailSubscriptionEnds: MailWriter = async (scene, event) => {
  const { clientId } = scene.mailing;
  const { database } = scene.ports;
  const subscription = await findSubscription(database, clientId, event.resourceId);
  if (!subscription || stageOf(subscription) !== event.type) return;
  const { userId } = subscription;
  const customer = await findCustomer(database, clientId, userId);
  await queueBuyerMail(scene, {
    kind: 'subscriptionEnds',
    subjectId: subscription.id,
    stage: event.id,
    to: customer?.email ?? null,
    words: withLink(scene, userId, (letter, link) =>
      subscriptionEndsWords(subscription, letter, link),
    ),
  });
};

const stageOf = ({ status, endReason }: Subscription): string => {
  if (status === 'canceled') return 'subscription.canceled';
  return endReason ? 'subscription.cancellation_scheduled' : 'subscription.resumed';
};

const tellers: Readonly<Record<EventMailKind, MailWriter>> = {
  receipt: mailReceipt,
  refund: mailRefund,
  refundFailed: mailRefundFailed,
  renewalFailed: mailRenewalFailed,
  subscriptionEnds: mailSubscriptionEnds,
};

async function mailAboutCards(scene: MailContext): Promise<void> {
  const { mailing, ports } = scene;
  try {
    for (const card of await listExpiringCards(ports.database, mailing.clientId)) {
      // Reads the card at the provider first: the bank may have renewed it without a notice, and then no mail
      // is due. A card that cannot be read now is looked at again in a later pass.
      const look = await lookAtCard(card, ports);
      if (look === 'nothing_to_change') await mailCardExpiring(scene, card);
    }
  } catch (error) {
    await lookAtCardsAgain(ports.database, mailing.clientId);
    throw error;
  }
}

async function mailCardExpiring(scene: MailContext, card: ExpiringCard): Promise<void> {
  await queueBuyerMail(scene, {
    kind: 'cardExpires',
    subjectId: card.methodId,
    stage: `${card.year}-${card.month}`,
    to: card.email,
    words: withLink(scene, card.userId, (letter, link) => cardExpiresWords(card, letter, link)),
  });
}
