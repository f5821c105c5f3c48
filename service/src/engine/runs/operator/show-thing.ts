// Prints every stored row of a payment, an operation, an event or a session as text. A link to
// another row is printed as an argument for `svc show`.

import {
  listShownRows,
  mostShown,
  type ShownPlace,
  type ShownRow,
} from '../../../storage/database/shown-rows.ts';
import type { Ports } from '../../ports.ts';

export const shownKinds = ['payment', 'operation', 'event', 'session'] as const;
export type ShownKind = (typeof shownKinds)[number];

/** A column and its value, ready to print; a value may have several lines. */
export type ShownColumn = { readonly name: string; readonly value: string };

export type ShownPart = {
  /** `payment 0190…`: an argument of `svc show`, where it accepts the kind. */
  readonly title: string;
  readonly columns: readonly ShownColumn[];
};

/**
 * The rows that belong to each kind, in the order in which they are shown. `of`: the column that
 * names them.
 */
const links: Readonly<Record<ShownKind, readonly Link[]>> = {
  payment: [
    { title: 'purchase', place: 'payment', of: 'parent_payment_id' },
    { title: 'session', place: 'session', of: 'session_id' },
    { title: 'history', place: 'history' },
    { title: 'operation', place: 'operationsOfPayment', each: 'attempts' },
    { title: 'refund', place: 'refunds' },
    { title: 'dispute', place: 'disputes' },
    { title: 'fraud signal', place: 'fraudSignals' },
    { title: 'saved method', place: 'methodUse' },
    { title: 'event', place: 'eventsOfResource', each: 'deliveries' },
  ],
  operation: [
    { title: 'attempt', place: 'attempts' },
    { title: 'payment', place: 'payment', of: 'payment_id' },
  ],
  event: [
    { title: 'delivery', place: 'deliveries' },
    { title: 'delivery attempt', place: 'deliveryAttempts' },
    { title: 'payment', place: 'payment', of: 'resource_id' },
    { title: 'session', place: 'session', of: 'resource_id' },
  ],
  session: [
    { title: 'payment', place: 'paymentsOfSession' },
    { title: 'card set-up', place: 'setupsOfSession' },
    { title: 'wallet order', place: 'ordersOfSession' },
    { title: 'operation', place: 'operation', of: 'attempt_id', each: 'attempts' },
    { title: 'event', place: 'eventsOfResource', each: 'deliveries' },
  ],
};

type Link = {
  readonly title: string;
  readonly place: ShownPlace;
  /** The column that names the other row; absent where the other row names this one. */
  readonly of?: string;
  /** The rows that are shown under each of them. */
  readonly each?: ShownPlace;
};

/** Returns undefined where there is no such row. */
export async function showThing(
  { kind, id }: { readonly kind: ShownKind; readonly id: string },
  { database }: Pick<Ports, 'database'>,
): Promise<ShownPart[] | undefined> {
  const [row] = await listShownRows(database, kind, id);
  if (!row) return undefined;
  const parts = [partOf(kind, row)];
  for (const { title, place: table, of, each } of links[kind]) {
    const other = of === undefined ? id : row[of];
    if (typeof other !== 'string') continue;
    const rows = await listShownRows(database, table, other);
    for (const linked of rows.slice(0, mostShown)) {
      parts.push(partOf(title, linked));
      const linkedId = linked.id;
      if (!each || typeof linkedId !== 'string') continue;
      const under = await listShownRows(database, each, linkedId);
      const place = `${title} ${each}`;
      parts.push(...under.slice(0, mostShown).map((one) => partOf(place, one)));
      parts.push(...restNote(place, under));
    }
    parts.push(...restNote(title, rows));
  }
  return parts;
}

const restNote = (title: string, { length }: readonly ShownRow[]): ShownPart[] =>
  length > mostShown
    ? [{ title: `${title}: more than ${mostShown}, the rest is left out`, columns: [] }]
    : [];

/** The title with the row's id; an event's id is shown in the form that merchants see. */
function partOf(title: string, row: ShownRow): ShownPart {
  const { id } = row;
  const written = title === 'event' ? `evt_${String(id).replaceAll('-', '')}` : id;
  return {
    title: typeof written === 'string' ? `${title} ${written}` : title,
    columns: Object.entries(row).flatMap(([name, value]) => columnsOf(name, value)),
  };
}

/** Returns nothing for an empty column. */
function columnsOf(name: string, value: unknown): ShownColumn[] {
  if (value === null || value === undefined) return [];
  if (name === 'payload' || name === 'response_body') {
    return [{ name, value: formatJson(String(value)) }];
  }
  // A challenge contains a client secret, with which anybody could confirm the payment.
  if (name === 'challenge') return [{ name, value: 'the buyer is asked; its secret is not shown' }];
  return [
    { name, value: typeof value === 'object' ? formatJson(JSON.stringify(value)) : `${value}` },
  ];
}

/** Formats JSON over several lines; returns any other text as it is. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
