import type { ReportFigures } from '@svc/contract/reports/reports';
import { type NotificationKind, notificationKinds } from '@svc/contract/settings/notifications';
import { type MailWords, quotedName } from '../../../domain/people/mail.ts';
import type { NotificationFact } from '../../../storage/notifications/facts.ts';
import { modeWords, sumWords } from '../receipts/receipt-words.ts';
import {
  dayIn,
  endingLines,
  headline,
  type NotificationWordsAbout,
  notificationLines,
  notificationSubject,
} from './notification-words.ts';

export type DayFigures = ReportFigures & { readonly currency: string };

/** Composes the morning's digest mail: the events by kind, and the figures of the day before. */
export function digestWords(
  facts: readonly NotificationFact[],
  figures: readonly DayFigures[],
  about: NotificationWordsAbout,
): MailWords {
  const factsOf = (kind: NotificationKind) => facts.filter((fact) => fact.kind === kind);
  const kinds = notificationKinds.filter((kind) => factsOf(kind).length > 0);
  const inMail = figures.length > 0 ? [...kinds, 'daily_digest' as const] : kinds;
  const { place } = about;
  const day = dayIn(place.timeZone, place.dayFrom);
  const ofDay =
    figures.length === 0
      ? []
      : [
          `${day} (${place.timeZone})`,
          ...figures.map(figureLine),
          ...notificationLines('daily_digest', [], about).slice(1),
          '',
        ];
  return {
    subject: notificationSubject('Daily digest', about),
    text: [
      ...[modeWords(about.mode).sentence].filter((line) => line !== null),
      `The digest of ${quotedName(place.name)}.`,
      '',
      ...ofDay,
      ...kinds.flatMap((kind) => kindLines(kind, factsOf(kind), about)),
      ...endingLines(inMail, about).slice(1),
    ].join('\n'),
  };
}

const kindLines = (
  kind: NotificationKind,
  facts: readonly NotificationFact[],
  about: NotificationWordsAbout,
): string[] => [`${headline(kind, facts)}:`, ...notificationLines(kind, facts, about), ''];

function figureLine({ currency, ...day }: DayFigures): string {
  const sum = (amount: number) => sumWords(amount, currency);
  const parts = [
    `${sum(day.paid)} paid (${day.payments})`,
    `${sum(day.refunded)} refunded (${day.refunds})`,
    `${sum(day.chargedBack)} charged back (${day.chargebacks})`,
    `${sum(day.net)} net`,
  ];
  return `- ${parts.join(', ')}`;
}
