// The words of the mails to a merchant's people. Plain text, in English. They name no buyer.

import type { Mode } from '@svc/contract/servers/modes';
import { type NotificationKind, notificationTable } from '@svc/contract/settings/notifications';
import { msOf } from '@svc/contract/values/instants';
import { toMajor } from '../../../domain/money/money.ts';
import { type MailWords, quotedName } from '../../../domain/people/mail.ts';
import type { NotificationFact } from '../../../storage/notifications/facts.ts';
import type { NotificationPlace } from '../../../storage/notifications/notifications.ts';
import { modeWords, sumWords } from '../receipts/receipt-words.ts';

export type NotificationWordsAbout = {
  readonly clientId: string;
  readonly place: NotificationPlace;
  readonly baseUrl: string;
  readonly mode: Mode;
};

const mostLines = 20;

/** One fact, and several: `#` is their number. */
const headlines: Readonly<Record<NotificationKind, readonly [string, string]>> = {
  hold_expiring: ['A hold expires within 24 hours', '# holds expire within 24 hours'],
  dispute_opened: ['A dispute was opened', '# disputes were opened'],
  dispute_due: ['A dispute has to be answered', '# disputes have to be answered'],
  dispute_decided: ['A dispute was decided', '# disputes were decided'],
  fraud_warning: ['A bank reports a payment as fraud', 'Banks report # payments as fraud'],
  review_opened: ['A payment is under review', '# payments are under review'],
  refund_failed: ['A refund failed', '# refunds failed'],
  refund_to_approve: ['A refund waits for approval', '# refunds wait for approval'],
  endpoint_failing: ['News of a webhook endpoint', '# news of webhook endpoints'],
  renewal_failed: ['A renewal failed for good', '# renewals failed for good'],
  card_removed: [
    'The card of a subscription was removed at the provider',
    'The cards of # subscriptions were removed at the provider',
  ],
  payment_differs: [
    'A payment differs from the provider’s records',
    '# payments differ from the provider’s records',
  ],
  monthly_file: ['News of a monthly file', '# news of monthly files'],
  daily_digest: ['The day before', 'The day before'],
};

export function headline(kind: NotificationKind, facts: readonly NotificationFact[]): string {
  const [one, many] = headlines[kind];
  const [first] = facts;
  if (facts.length !== 1) return many.replace('#', String(facts.length));
  if (first && kind === 'monthly_file') return monthlyFileWords(first);
  return kind === 'endpoint_failing' && first ? endpointWords(first) : one;
}

const sumOf = ({ amountMinor, currency }: NotificationFact): string =>
  amountMinor === null || currency === null
    ? ''
    : sumWords(toMajor(amountMinor, currency), currency);

/** `3 Dec 2026, 12:40 (Europe/Berlin)`. */
const momentIn = (timeZone: string, instant: Date): string =>
  `${new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).format(instant)} (${timeZone})`;

/** `Wednesday, 2 December 2026`. */
export const dayIn = (timeZone: string, instant: Date): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full' }).format(instant);

const endpointStages: Readonly<Record<string, string>> = {
  '1_hour': 'Webhooks have not arrived for 1 hour',
  '24_hours': 'Webhooks have not arrived for 24 hours',
  disabled: 'A webhook endpoint was disabled: it gets nothing any more',
  recovered: 'A webhook endpoint has recovered',
};
const endpointWords = ({ stage }: NotificationFact): string =>
  endpointStages[stage.split(' ')[0] ?? ''] ?? headlines.endpoint_failing[0];

/** `The file of November 2026 is ready`. */
function monthlyFileWords({ name, state }: NotificationFact): string {
  const month = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'UTC',
    month: 'long',
    year: 'numeric',
  }).format(msOf(`${name}-01T00:00Z`));
  return `The file of ${month} ${state === 'ready' ? 'is ready' : 'could not be made'}`;
}

const decisions: Readonly<Record<string, string>> = {
  won: 'won',
  lost: 'lost',
  warning_closed: 'closed without a loss',
  prevented: 'prevented',
};

/** `made with stolen card`, of a word of the provider. */
const plainWord = (word: string | null): string => (word ?? '').replaceAll('_', ' ');

type Line = (fact: NotificationFact, until: string) => string;
const answerByLine: Line = (fact, until) =>
  `${sumOf(fact)}${fact.dueAt ? `: answer by ${until}` : ''}`;

const lines: Readonly<Record<NotificationKind, Line>> = {
  hold_expiring: (fact, until) => `${sumOf(fact)}: capture or release it before ${until}`,
  dispute_opened: (fact, until) =>
    fact.awaits === 'provider'
      ? `${sumOf(fact)}: the card provider answers it by itself`
      : answerByLine(fact, until),
  dispute_due: answerByLine,
  dispute_decided: (fact) => `${sumOf(fact)}: ${decisions[fact.state ?? ''] ?? 'open again'}`,
  fraud_warning: (fact) =>
    `${sumOf(fact)}: ${plainWord(fact.name)}. Refund it before it becomes a dispute`,
  review_opened: (fact) =>
    `${sumOf(fact)}: approve or refund it at the card provider, and keep the goods until then`,
  refund_failed: (fact) => `${sumOf(fact)}: the buyer was not paid`,
  refund_to_approve: (fact, until) =>
    `${sumOf(fact)}, asked for by ${quotedName(fact.name ?? '')}: decide before ${until}`,
  endpoint_failing: (fact) => `${endpointWords(fact)}: ${quotedName(fact.name ?? '')}`,
  renewal_failed: (fact) => `${quotedName(fact.name ?? '')}, ${sumOf(fact)}: it has ended`,
  card_removed: (fact, until) =>
    `${quotedName(fact.name ?? '')}, ${sumOf(fact)}: ${
      fact.state === 'unfunded'
        ? `no card pays it any more, and its renewal is due ${until}. Ask the customer for another card`
        : 'another card of the customer pays it from now on'
    }`,
  payment_differs: (fact) => `${sumOf(fact)}: Reports shows what each side says`,
  monthly_file: (fact, until) =>
    `${monthlyFileWords(fact)}${fact.state === 'ready' ? `: it is kept until ${until}` : ''}`,
  daily_digest: () => '',
};

/** Where the dashboard lists such facts, beneath the merchant's address. */
const lists: Readonly<Record<NotificationKind, string>> = {
  hold_expiring: '/holds',
  dispute_opened: '/disputes',
  dispute_due: '/disputes?awaits=merchant',
  dispute_decided: '/disputes?status=won,lost,warning_closed,prevented',
  fraud_warning: '/payments?fraudSignal=warning',
  review_opened: '/payments?fraudSignal=review',
  refund_failed: '/payments?status=refund_failed',
  refund_to_approve: '',
  endpoint_failing: '/developers/webhooks',
  renewal_failed: '/subscriptions?status=canceled',
  card_removed: '/subscriptions',
  payment_differs: '/reports',
  monthly_file: '/exports',
  daily_digest: '/reports',
};

const addressOf = ({ baseUrl, clientId }: NotificationWordsAbout, path: string): string =>
  `${baseUrl}/dashboard/${clientId}${path}`;

/** The facts of one kind: a line each, and where the dashboard lists them. */
export function notificationLines(
  kind: NotificationKind,
  facts: readonly NotificationFact[],
  about: NotificationWordsAbout,
): string[] {
  const { timeZone } = about.place;
  const shown = facts.slice(0, mostLines).map((fact) => {
    const until = fact.dueAt ? momentIn(timeZone, fact.dueAt) : 'its end';
    return `- ${lines[kind](fact, until)}`;
  });
  const rest = facts.length > mostLines ? [`- and ${facts.length - mostLines} more`] : [];
  return [...shown, ...rest, '', 'See them in the dashboard:', addressOf(about, lists[kind])];
}

const together = new Intl.ListFormat('en-GB', { type: 'conjunction' });
const titlesOf = (kinds: readonly NotificationKind[]): string =>
  together.format(kinds.map((kind) => `“${notificationTable[kind].title}”`));

/** Who gets the mail, why, and how to end it. */
export const endingLines = (
  kinds: readonly NotificationKind[],
  about: NotificationWordsAbout,
): string[] => [
  '',
  `You get this mail because you are a member of ${quotedName(about.place.name)}.`,
  `To switch it off, choose Off beside ${titlesOf(kinds)} in the settings:`,
  addressOf(about, '/settings/notifications'),
];

export const notificationSubject = (
  text: string,
  { place, mode }: NotificationWordsAbout,
): string => `${modeWords(mode).tag}${text}: ${quotedName(place.name)}`;

/** One mail of all facts of a kind. */
export const notificationWords = (
  kind: NotificationKind,
  facts: readonly NotificationFact[],
  about: NotificationWordsAbout,
): MailWords => ({
  subject: notificationSubject(headline(kind, facts), about),
  text: [
    ...[modeWords(about.mode).sentence].filter((line) => line !== null),
    `${headline(kind, facts)} at ${quotedName(about.place.name)}.`,
    '',
    ...notificationLines(kind, facts, about),
    ...endingLines([kind], about),
  ].join('\n'),
});
