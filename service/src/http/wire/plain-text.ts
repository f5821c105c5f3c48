// Checks texts of a body: none may control a terminal or change the text direction of a page.

import { isOneLine, isPlainText } from '@svc/contract/servers/plain-text';
import { Refusal } from '../../domain/protocol/refusal.ts';

/**
 * Throws invalid_request for a control character or direction override in any text, and also for a
 * line break or tab, except in `metadata` and where `isFree`: texts that are stored for the
 * merchant unchanged.
 */
export function assertPlainText(value: unknown, isFree: boolean, path = ''): void {
  if (typeof value === 'string') {
    if (isFree ? isPlainText(value) : isOneLine(value)) return;
    const what = `control characters${isFree ? '' : ', line breaks'} and direction overrides`;
    const where = path === '' ? 'A text' : `The field ${path}`;
    throw new Refusal('invalid_request', {
      ...(path === '' ? {} : { param: path }),
      message: `${where} must be without ${what}.`,
    });
  }
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [name, each] of Object.entries(value)) {
    if (!isOneLine(name)) assertPlainText(name, false, path);
    const inner = isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    assertPlainText(each, isFree || (!isList && name === 'metadata'), inner.slice(0, 200));
  }
}

type Fields = { readonly properties?: Readonly<Record<string, object>> };

/**
 * The same for a body as its operation reads it: a trimmed field (`x-trimmed`) may have line breaks
 * around its text, a field of several lines (`x-lines`) within it, and a body without fields of its
 * own only identifies the request. Spec: Capture.
 */
export function assertPlainBody(
  body: Readonly<Record<string, unknown>>,
  { properties = {} }: Fields,
): void {
  const isFree = Object.keys(properties).length === 0;
  for (const [name, value] of Object.entries(body)) {
    if ('x-lines' in Object(properties[name])) assertPlainText(value, true, name);
  }
  const oneLined = Object.entries(body).filter(
    ([name]) => !('x-lines' in Object(properties[name])),
  );
  const read = oneLined.map(([name, value]) => {
    const isTrimmed = typeof value === 'string' && 'x-trimmed' in Object(properties[name]);
    return [name, isTrimmed ? value.trim() : value];
  });
  assertPlainText(Object.fromEntries(read), isFree);
}
