// The texts for entries of the audit log.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { browserName } from '../browser-name.ts';
import { timeWords } from '../times.ts';

const subjects: Readonly<Record<string, string>> = {
  'api token': 'API token',
  'sign in': 'Sign-in',
};

const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The end of an id differs from one to the next, the beginning is its time. */
export const shortId = (id: string): string => (isUuid.test(id) ? `…${id.slice(-6)}` : id);

/** Returns from where it was done: the address and, of people, the browser; a dash where no request came. */
export function fromWords({ actor: { kind }, address, userAgent }: AuditEntry): string {
  const isOfBrowser = /^(person|customer|anonymous)$/.test(kind);
  const browser = isOfBrowser && userAgent ? browserName(userAgent) : null;
  return [address, browser].filter(Boolean).join(' · ') || '–';
}

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
  proof: 'How it was proven',
  userId: 'Person',
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

/** By field, the texts of its values. */
const texts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  method: methods,
  proof: methods,
  reason: reasons,
};

/** Returns `Sign-in` for `sign_in`. */
export function resourceWords(type: string): string {
  const noun = type.replaceAll('_', ' ');
  return subjects[noun] ?? noun.charAt(0).toUpperCase() + noun.slice(1);
}

const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Returns the text of a field's value, which the page knows better than its form does; null otherwise. */
export type SayValue = (field: string, value: unknown) => string | null;

/** Returns a value as a text for people; instants in `zone`. */
export function valueWords(value: unknown, zone: string | null = null): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  const inWords = (each: unknown) => valueWords(each, zone);
  if (Array.isArray(value)) return value.length > 0 ? value.map(inWords).join(', ') : 'nothing';
  if (typeof value === 'string' && isInstant.test(value)) return timeWords(value, zone);
  if (typeof value !== 'object') return shortId(String(value));
  // The values alone show what the names would add.
  return Object.values(value).map(inWords).join(' ');
}

export type Values = Readonly<Record<string, unknown>>;

export type FieldChange = {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
};

type Facts = Values | null;

const isNothing = (text: string | null) => text === null || text === 'nothing';

/** Returns the changed fields, without those that stayed the same or never had a value; instants in `zone`. */
export function changesOf(
  before: Facts,
  after: Facts,
  { zone = null, say = () => null }: { zone?: string | null; say?: SayValue } = {},
): readonly FieldChange[] {
  const textOf = (field: string, value: unknown) =>
    texts[field]?.[String(value)] ?? say(field, value) ?? valueWords(value, zone);
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const changes = [...fields].map((field) => ({
    field,
    before: before && field in before ? textOf(field, before[field]) : null,
    after: after && field in after ? textOf(field, after[field]) : null,
  }));
  return changes.filter(
    (change) =>
      change.before !== change.after && !(isNothing(change.before) && isNothing(change.after)),
  );
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
