// The texts for entries of the audit log, and the entries as CSV lines for other programs.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { spreadsheetCell } from '@svc/contract/values/csv';

const subjects: Readonly<Record<string, string>> = {
  'api token': 'API token',
  'sign in': 'Sign-in',
};

/** Texts of actions whose name alone does not show who acted. */
const actions: Readonly<Record<string, string>> = {
  'consent.revoked': 'Consent: revoked by the person',
  'consent.ended':
    'Consent: returned by the application, or ended because its token was used twice',
};

export type ActionWords = Readonly<Record<string, string>>;

/** Returns `Member: role changed` for `member.role_changed`; `more`: the texts of actions of a merchant. */
export function actionWords(action: string, more: ActionWords = {}): string {
  const known = more[action] ?? actions[action];
  if (known) return known;
  const parts = action.split('.').map((part) => part.replaceAll('_', ' '));
  const [noun = '', ...rest] = parts;
  const subject = resourceWords(noun);
  return rest.length > 0 ? `${subject}: ${rest.join(' ')}` : subject;
}

/** Returns the texts of the actions to choose from, sorted. `chosen` may name others; empty ones count not. */
export function actionChoices(
  known: readonly string[],
  chosen: readonly string[],
  words: ActionWords = {},
): Record<string, string> {
  const named = [...new Set([...known, ...chosen.filter(Boolean)])].map(
    (action) => [action, actionWords(action, words)] as const,
  );
  return Object.fromEntries(named.sort(([, one], [, other]) => (one < other ? -1 : 1)));
}

const fields: Readonly<Record<string, string>> = {
  uri: 'Web address',
  redirectUris: 'Redirect addresses',
  userId: 'Person',
  overlapSeconds: 'Old value stays valid, in seconds',
};

/** Returns `Expires at` for `expiresAt` and `expires_at`. */
export function fieldWords(field: string): string {
  const known = fields[field];
  if (known) return known;
  const words = field.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

const methods: Readonly<Record<string, string>> = {
  password: 'password',
  password_totp: 'password and code of the authenticator',
  password_recovery_code: 'password and recovery code',
  passkey: 'passkey',
  link: 'link in a mail',
};

const reasons: Readonly<Record<string, string>> = {
  revoked_by_application: 'given back by the application',
  used_twice: 'a code or refresh token came twice',
};

/** Returns `Sign-in` for `sign_in`. */
export function resourceWords(type: string): string {
  const noun = type.replaceAll('_', ' ');
  return subjects[noun] ?? noun.charAt(0).toUpperCase() + noun.slice(1);
}

/** Returns the text of a value, whose field may have texts of its own. */
function textOfValue(field: string, value: unknown): string {
  const known = { method: methods, reason: reasons }[field];
  return known?.[String(value)] ?? valueWords(value);
}

/** Returns a value as a text for people. */
export function valueWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return value.length > 0 ? value.map(valueWords).join(', ') : 'nothing';
  if (typeof value !== 'object') return String(value);
  // The values alone show what the names would add.
  return Object.values(value).map(valueWords).join(' ');
}

export type Values = Readonly<Record<string, unknown>>;

export type FieldChange = {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
};

type Facts = Values | null;

const isNothing = (text: string | null) => text === null || text === 'nothing';

/** Returns the changed fields, without those that stayed the same or never had a value. */
export function changesOf(before: Facts, after: Facts): readonly FieldChange[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const changes = [...fields].map((field) => ({
    field,
    before: before && field in before ? textOfValue(field, before[field]) : null,
    after: after && field in after ? textOfValue(field, after[field]) : null,
  }));
  return changes.filter(
    (change) =>
      change.before !== change.after && !(isNothing(change.before) && isNothing(change.after)),
  );
}

const kinds: Readonly<Record<string, string>> = {
  api_token: 'API token',
  oauth: 'Application',
  person: 'Browser',
  customer: 'Customer’s page',
  operator: 'Operator',
  system: 'Svc itself',
  anonymous: 'Not signed in',
};

export const actorKind = (kind: string): string => kinds[kind] ?? kind;

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

/** The actions to choose from for a person's own account. */
export const accountActions: readonly string[] = [
  ...['account.created', 'account.renamed', 'account.disabled', 'account.enabled'],
  ...['account.password_link_made', 'sign_in.opened', 'sign_in.failed'],
  ...['sign_in.confirmed', 'sign_in.ended', 'sign_in.others_ended'],
  ...['password.changed', 'password.reset_requested', 'password.reset'],
  ...['authenticator.turned_on', 'consent.given', 'consent.revoked', 'consent.ended'],
  ...['authenticator.turned_off', 'recovery_codes.renewed', 'recovery_code.used'],
  ...['passkey.added', 'passkey.renamed', 'passkey.removed'],
  'notification.changed',
];
