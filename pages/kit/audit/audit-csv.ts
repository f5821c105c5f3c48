// The entries of the audit log as CSV lines for other programs.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { spreadsheetCell } from '@svc/contract/values/csv';

/** The same columns as `svc audit-log` prints. */
const columns: readonly (readonly [string, (entry: AuditEntry) => unknown])[] = [
  ['createdAt', (entry) => entry.createdAt],
  ['action', (entry) => entry.action],
  ['actorKind', (entry) => entry.actor.kind],
  ['actorUserId', (entry) => entry.actor.userId],
  ['actorEmail', (entry) => entry.actor.email],
  ['actorCustomerId', (entry) => entry.actor.customerId],
  ['actorCredentialId', (entry) => entry.actor.credentialId],
  ['tokenName', (entry) => entry.actor.tokenName],
  ['actorApplicationId', (entry) => entry.actor.applicationId],
  ['applicationName', (entry) => entry.actor.applicationName],
  ['resourceType', (entry) => entry.resource.type],
  ['resourceId', (entry) => entry.resource.id],
  ['userId', (entry) => entry.userId],
  ['before', (entry) => entry.before],
  ['after', (entry) => entry.after],
  ['requestId', (entry) => entry.requestId],
  ['address', (entry) => entry.address],
  ['userAgent', (entry) => entry.userAgent],
  ['id', (entry) => entry.id],
];

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return spreadsheetCell(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Returns the entries as CSV, one line each below the column names. */
export function csvOf(entries: readonly AuditEntry[]): string {
  const lines = entries.map((entry) => columns.map(([, read]) => cell(read(entry))).join(','));
  return `${[columns.map(([name]) => name).join(','), ...lines].join('\r\n')}\r\n`;
}
