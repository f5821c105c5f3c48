import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { type AuditRow, networkOf } from '../../../storage/audit-log/audit-lists.ts';

/** Adds the payment's currency, without which an amount in minor units cannot be read. */
const currencyOf = ({ after, payment_currency }: AuditRow) =>
  after && 'amountMinor' in after && payment_currency ? { currency: payment_currency } : {};

/** An audit entry as the API shows it. Contract §6. */
export const showAuditEntry = (row: AuditRow): AuditEntry => ({
  id: row.id,
  object: 'audit_entry',
  clientId: row.client_id,
  action: row.action,
  actor: {
    kind: row.actor_kind,
    userId: row.actor_user_id,
    email: row.actor_email,
    customerId: row.actor_customer_id,
    credentialId: row.actor_credential_id,
    tokenName: row.token_name,
    applicationId: row.actor_application_id ?? row.grant_application_id,
    applicationName: row.application_name,
  },
  resource: { type: row.resource_type, id: row.resource_id },
  userId: row.user_id,
  before: row.before,
  after: row.after && { ...row.after, ...currencyOf(row) },
  requestId: row.request_id,
  address: networkOf(row),
  userAgent: row.user_agent ?? row.sign_in_user_agent,
  createdAt: row.created_at.toISOString(),
});
