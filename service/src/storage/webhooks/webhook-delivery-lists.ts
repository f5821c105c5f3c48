// Reads the results of deliveries: those to one endpoint, and the attempts of one event. Contract §7.
import { defineList, type List, type ListTable, type Predicate } from '../database/lists.ts';

export type DeliveryRow = {
  readonly event_id: string;
  readonly event_type: string;
  readonly endpoint_id: string;
  readonly state: 'pending' | 'delivered' | 'dead' | 'cancelled';
  readonly attempts: number;
  readonly redeliveries: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly next_attempt_at: Date;
  readonly created_at: Date;
  readonly finished_at: Date | null;
};

const deliveries: ListTable = {
  name: 'deliveries.list',
  from: 'webhook_deliveries d',
  columns: `d.event_id, d.endpoint_id, d.state, d.attempts, d.redeliveries, d.last_status,
    d.last_error, d.next_attempt_at, d.created_at, d.finished_at`,
  joins: `left join lateral (select v.type as event_type from events v where v.id = page.event_id)
    more on true`,
  tenant: 'd.client_id',
  key: { sql: 'd.event_id', kind: 'uuid' },
  sorts: { createdAt: { sql: 'd.created_at', kind: 'instant' } },
  filters: {
    state: { sql: 'd.state', kind: 'text' },
    createdAt: { sql: 'd.created_at', kind: 'instant' },
  },
};

const listAny: List<DeliveryRow> = defineList(deliveries);

// Joins the event of every delivery, which a list without a filter on types avoids.
const listByType: List<DeliveryRow> = defineList({
  ...deliveries,
  name: 'deliveries.by_type',
  from: 'webhook_deliveries d join events v on v.id = d.event_id',
  filters: { ...deliveries.filters, eventType: { sql: 'v.type', kind: 'text' } },
});

/** Lists one page of deliveries. `within` names the endpoint. */
export const listDeliveryRows: List<DeliveryRow> = (database, clientId, query) => {
  const asksType = query.filters.some(({ field }) => field === 'eventType');
  return (asksType ? listByType : listAny)(database, clientId, query);
};

export type AttemptRow = {
  readonly endpoint_id: string;
  readonly attempt: number;
  readonly redelivery: number;
  readonly outcome: 'delivered' | 'failed';
  readonly url: string;
  readonly http_status: number | null;
  readonly error: string | null;
  readonly response_excerpt: string | null;
  readonly duration_ms: number;
  readonly started_at: Date;
};

/** Lists one page of attempts. `within` names the event. */
export const listAttemptRows: List<AttemptRow> = defineList({
  name: 'attempts.list',
  from: `webhook_attempts a join events v on v.id = a.event_id
    join webhook_endpoints e on e.id = a.endpoint_id`,
  columns: `a.endpoint_id, a.attempt, a.redelivery, a.outcome, coalesce(a.url, e.url) as url,
    a.http_status, a.error, a.response_excerpt, a.duration_ms, a.started_at`,
  tenant: 'v.client_id',
  // Each claim of a delivery has its own epoch.
  key: { sql: "(a.endpoint_id || ':' || a.epoch || ':' || a.attempt)", kind: 'text' },
  sorts: { startedAt: { sql: 'a.started_at', kind: 'instant' } },
  filters: {
    endpointId: { sql: 'a.endpoint_id', kind: 'uuid' },
    outcome: { sql: 'a.outcome', kind: 'text' },
  },
});

export const limitToEndpoint = (id: string): Predicate => ({
  shape: 'endpoint',
  values: [id.toLowerCase()],
  write: (bind) => `d.endpoint_id = ${bind(id)}::uuid`,
});

export const limitToEvent = (id: string): Predicate => ({
  shape: 'event',
  values: [id],
  write: (bind) => `a.event_id = ${bind(id)}::uuid`,
});
