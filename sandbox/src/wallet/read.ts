// Reads the fields of a request's body. Errors name the wrong field by its JSON pointer.
import { malformedField, required, WalletError } from './errors.ts';
import { fieldsOf } from './wallet.ts';

type Limits = { max: number; pattern?: RegExp };

/** Returns the text at `field`, a JSON pointer; null when it is absent. */
export const readText = (body: unknown, field: string, limits: Limits): string | null => {
  let value: unknown = body;
  for (const name of field.split('/').slice(1)) {
    value = Array.isArray(value) ? value[Number(name)] : fieldsOf(value)[name];
  }
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw malformedField(field);
  if (value.length < 1 || value.length > limits.max) {
    throw new WalletError(400, 'INVALID_STRING_LENGTH', { field });
  }
  if (limits.pattern && !limits.pattern.test(value)) throw malformedField(field);
  return value;
};

export const readRequired = (body: unknown, field: string, limits: Limits): string => {
  const text = readText(body, field, limits);
  if (text === null) throw required(field);
  return text;
};

/** Reads an address to which a payer is redirected. */
export const readUrl = (body: unknown, field: string): string | null => {
  const text = readText(body, field, { max: 4000 });
  if (text !== null && !URL.canParse(text)) throw malformedField(field);
  return text;
};
