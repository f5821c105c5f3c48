// Lists the notices about money that moves without the service, from the wallet's own list of
// events, which keeps 30 days and lists one type at a time. docs/decisions/reconciliation.md.

import type { NoticePage, NoticeSpan, Trace } from '../../engine/ports.ts';
import { type NoticeAccount, readEvent } from './notices.ts';
import { fieldsOf } from './translate.ts';
import { read, type Wire, type WireAnswer } from './wire.ts';

// Events about settled payments, which reconcile only samples.
const types = [
  'PAYMENT.CAPTURE.REFUNDED',
  'PAYMENT.CAPTURE.REVERSED',
  'PAYMENT.REFUND.PENDING',
  'PAYMENT.REFUND.FAILED',
];

const list = '/v1/notifications/webhooks-events';

/** Lists one page of the wallet's notices about the account. */
export async function listNotices(
  wire: Wire,
  account: NoticeAccount,
  span: NoticeSpan,
): Promise<NoticePage> {
  const told = await listEventsOfTypes((path) => read(wire, path), types, span);
  if (told.kind !== 'found') return told;
  const notices = told.events.flatMap((event) => readEvent(event, account) ?? []);
  return { kind: 'found', notices, next: told.next, trace: told.trace };
}

type ListedEvents = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly events: readonly unknown[]; readonly next: string | null }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/**
 * Lists events of these types, one type after the other. A page is identified by the number of its
 * type and its path.
 */
export async function listEventsOfTypes(
  ask: (path: string) => Promise<WireAnswer>,
  wanted: readonly string[],
  span: NoticeSpan,
): Promise<ListedEvents> {
  const firstPage = (type: number) => firstPageOf(wanted[type] ?? '', type, span);
  const page = span.page ?? firstPage(0);
  const [type = 0, path = ''] = [Number.parseInt(page, 10), page.slice(page.indexOf(' ') + 1)];
  const answer = await ask(path);
  const { trace } = answer;
  if (answer.kind !== 'ok') return { kind: 'in_doubt', cause: 'read_failed', trace };
  const { events } = answer.value;
  const more = nextPath(answer.value.links);
  if (!Array.isArray(events) || more === undefined || more === path) {
    return { kind: 'in_doubt', cause: 'answer_malformed', trace };
  }
  const isLast = more === null && type + 1 >= wanted.length;
  const following = more === null ? firstPage(type + 1) : `${type} ${more}`;
  return { kind: 'found', events, next: isLast ? null : following, trace };
}

function firstPageOf(eventType: string, type: number, { from, until }: NoticeSpan): string {
  const query = new URLSearchParams({
    page_size: '50',
    start_time: from.toISOString(),
    end_time: until.toISOString(),
    event_type: eventType,
  });
  return `${type} ${list}?${query}`;
}

/** Returns null when there is no further page; undefined for a link that leads elsewhere. */
function nextPath(links: unknown): string | null | undefined {
  const found = Array.isArray(links) ? (links as unknown[]).map(fieldsOf) : [];
  const next = found.find(({ rel }) => rel === 'next');
  if (!next) return null;
  const url = URL.parse(String(next.href));
  return url?.pathname.startsWith(list) ? `${url.pathname}${url.search}` : undefined;
}
