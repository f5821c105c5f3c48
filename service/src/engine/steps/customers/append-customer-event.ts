import type { EventDataByType } from '@svc/contract/events/event-schemas';
import type { Event } from '@svc/contract/events/events';
import type { Customer } from '../../../domain/people/customer.ts';
import { countCustomerEvent } from '../../../storage/customers/customers.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';

/** What is told of a customer: nothing that forgetting would have to erase. */
type Told = {
  [K in 'customer.updated' | 'customer.forgotten']: {
    readonly type: K;
    readonly data: EventDataByType[K];
  };
}['customer.updated' | 'customer.forgotten'];

/** Appends an event of a locked customer. */
export async function appendCustomerEvent(
  tx: Tx,
  {
    customer: { clientId, id, version },
    request,
    ...told
  }: Told & { readonly customer: Customer; readonly request: Event['request'] },
  ports: Pick<Ports, 'newId' | 'settings'>,
): Promise<void> {
  const { sequence, resourceId } = await countCustomerEvent(tx, { clientId, id });
  const event = composeEvent({
    id: ports.newId(),
    ...told,
    clientId,
    isLive: ports.settings.isLive,
    now: await readClock(tx),
    resource: { type: 'customer', id, version },
    sequence,
    request,
  });
  await appendEvent(tx, { ...event, resourceId });
}
