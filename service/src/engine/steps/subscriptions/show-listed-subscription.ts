import type { ListedSubscription } from '@svc/contract/customers/subscriptions';
import {
  type SubscriptionRow,
  toSubscription,
} from '../../../storage/subscriptions/subscriptions.ts';
import { mayReadNames, type ServerCaller } from '../../require-server.ts';
import { showSubscription } from './show-subscription.ts';

/** A row of the list of subscriptions as the reader may see it. */
export const showListedSubscription = (
  row: SubscriptionRow,
  reader: ServerCaller,
): ListedSubscription => ({
  ...showSubscription(toSubscription(row)),
  customerEmail: row.customer_email as string,
  customerName: mayReadNames(reader) ? (row.customer_name as string | null) : null,
});
