// What the wallet has told of money that moves without us, from its own list of events: it keeps them
// for 30 days, and lists one type at a time. Decision 0094.

import type { NoticePage, NoticeSpan } from '../../operations/ports.ts';
import { type NoticeAccount, readEvent } from './notices.ts';
import { fieldsOf } from './translate.ts';
import { read, type Wire } from './wire.ts';

// What concerns settled payments, which reconcile only samples.
const types = [
  'PAYMENT.CAPTURE.REFUNDED',
  'PAYMENT.CAPTURE.REVERSED',
  'PAYMENT.REFUND.PENDING',
  'PAYMENT.REFUND.FAILED',
];

const list = '/v1/notifications/webhooks-events';

/** A page is named by the number of its type and its path. */
export async function listNotices(
  wire: Wire,
  account: NoticeAccount,
  span: NoticeSpan,
): Promise<NoticePage> {
  const page = span.page ?? firstPage(0, span);
  const [type = 0, path = ''] = [Number.parseInt(page, 10), page.slice(page.indexOf(' ') + 1)];
  const answer = await read(wire, path);
  const { trace } = answer;
  if (answer.kind !== 'ok') return { kind: 'in_doubt', cause: 'read_failed', trace };
  const { events } = answer.value;
  const more = nextPath(answer.value.links);
  if (!Array.isArray(events) || more === undefined || more === path) {
    return { kind: 'in_doubt', cause: 'answer_malformed', trace };
  }
  const isLast = more === null && type + 1 >= types.length;
  const following = more === null ? firstPage(type + 1, span) : `${type} ${more}`;
  const notices = (events as unknown[]).flatMap((event) => readEvent(event, account) ?? []);
  return { kind: 'found', notices, next: isLast ? null : following, trace };
}

function firstPage(type: number, { from, until }: NoticeSpan): string {
  const query = new URLSearchParams({
    page_size: '50',
    start_time: from.toISOString(),
    end_time: until.toISOString(),
    event_type: types[type] ?? '',
  });
  return `${type} ${list}?${query}`;
}

/** Null where there is no more; undefined for a link that leads elsewhere. */
function nextPath(links: unknown): string | null | undefined {
  const found = Array.isArray(links) ? (links as unknown[]).map(fieldsOf) : [];
  const next = found.find(({ rel }) => rel === 'next');
  if (!next) return null;
  const url = URL.parse(String(next.href));
  return url?.pathname.startsWith(list) ? `${url.pathname}${url.search}` : undefined;
}
