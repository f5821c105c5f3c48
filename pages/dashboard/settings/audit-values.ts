// Fields and values of a merchant's audit log in words, beyond those of a person's own.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import {
  changesOf,
  type FieldChange,
  fieldWords,
  resourceWords,
  shortId,
  valueWords,
} from '../../kit/audit/audit-words.ts';
import { scopesInWords } from '../../kit/scopes.ts';
import { withMoney } from './audit-money.ts';

const fields: Readonly<Record<string, string>> = {
  amountOff: 'Taken off',
  fields: 'Changed',
  isByCustomer: 'By the customer',
  of: 'Rows of',
  overlapSeconds: 'Old value stays valid, in seconds',
  percentOff: 'Percent off',
  redirectUris: 'Redirect addresses',
  rows: 'Number of rows',
  sha256: 'Fingerprint of the file',
  state: 'Result',
  to: 'Mailed to',
  uri: 'Web address',
  url: 'Web address',
  userId: 'Person',
};

/** Returns `Live` for `isLive`, `Refund` for `refundId`, `Logo URL` for `logoUrl`. */
export const merchantField = (field: string): string =>
  fields[field] ??
  fieldWords(field.replace(/^(is|has)(?=[A-Z])/, '').replace(/Id(s?)$/, '$1')).replace(
    /\b(url|uri|api)\b/gi,
    (short) => short.toUpperCase(),
  );

/** Fields whose values are the API's own short words, `partially_refunded`. */
const ofChoices =
  /^(captureMethod|interval|kind|reason|resourceType|role|state|status|style|type)$/;

/** Returns the text of a value whose field says how it is read; null for any other. */
export function merchantValue(field: string, value: unknown): string | null {
  if (Array.isArray(value)) return listWords(field, value);
  if (typeof value === 'object' && value !== null) return membersWords(value);
  if (typeof value !== 'string') return null;
  if (ofChoices.test(field)) return value.replaceAll('_', ' ');
  return field === 'query' || field === 'filters' ? queryWords(value) : null;
}

function listWords(field: string, values: readonly unknown[]): string | null {
  if (values.length === 0) return null;
  if (field === 'scopes') return scopesInWords(values.map(String));
  if (field === 'fields' || field === 'newKeys') {
    return values.map((name) => merchantField(String(name))).join(', ');
  }
  const isOfObjects = values.every((each) => typeof each === 'object' && each !== null);
  return isOfObjects ? values.map((each) => membersWords(each as object)).join(', ') : null;
}

/** Of switches those that are on are named. A sum shows what its name would add. */
function membersWords(value: object): string {
  const members = Object.entries(value);
  if (members.some(([, each]) => typeof each === 'boolean')) {
    const on = members.filter(([, each]) => each === true).map(([name]) => merchantField(name));
    return valueWords(on);
  }
  const isSum = (name: string) => name === 'currency' || name === 'amount';
  return members
    .map(
      ([name, each]) =>
        (isSum(name) ? '' : `${merchantField(name).toLowerCase()} `) + valueWords(each),
    )
    .join(' ');
}

/** Returns `Status is authorized, failed; Amount is 10..50` for the query of a list. */
const queryWords = (query: string): string | null =>
  [...new URLSearchParams(query)]
    .map(([name, value]) => {
      const field = merchantField(name.replace(/\[\w+\]$/, ''));
      return `${field} is ${value.replaceAll('_', ' ')}`;
    })
    .join('; ') || null;

const nouns: Readonly<Record<string, string>> = {
  client: 'Business',
  export_schedule: 'Monthly file',
  gateway: 'Account at the provider',
  payment_method: 'Saved card',
  view: 'Saved view',
};

/** Values that name what an entry is about, the best first. */
const names = ['name', 'email', 'url', 'fileName', 'month', 'accountId'];

/** Returns the name of what an entry is about, `API token Till`; for what has none the end of its id. */
export function aboutWords({ resource: { type, id }, before, after }: AuditEntry): string {
  const noun = nouns[type] ?? resourceWords(type);
  if (type === 'client' || type === 'refund_rule') return noun;
  const named = names
    .flatMap((field) => [after?.[field], before?.[field]])
    .find((value) => typeof value === 'string' && value !== '');
  return `${noun} ${named ?? shortId(id)}`;
}

const kinds: Readonly<Record<string, string>> = {
  api_token: 'API token',
  oauth: 'Application',
  operator: 'Operator',
  system: 'Svc itself',
  anonymous: 'Not signed in',
};

/** Returns who acted: `ada@shop.example`, `ada@shop.example · API token Till`, `Operator`. */
export function actorWords({ kind, ...actor }: AuditEntry['actor']): string {
  const person = actor.email ?? (actor.userId && 'Somebody who left');
  // The service mails such links too.
  if (kind === 'customer') return `The customer, by a link of ${actor.email ?? 'Svc itself'}`;
  if (kind === 'person') return person ?? 'Somebody who left';
  const known = kinds[kind] ?? kind;
  const program =
    actor.applicationName ?? (actor.tokenName ? `${known} ${actor.tokenName}` : known);
  return person ? `${person} · ${program}` : program;
}

/** The changes of an entry, with sums in place of amounts. */
export const merchantChanges = (
  { before, after }: AuditEntry,
  zone: string | null,
): readonly FieldChange[] =>
  changesOf(before && withMoney(before), after && withMoney(after), { zone, say: merchantValue });
