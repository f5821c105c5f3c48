// Spec: Webhooks, signature. Reliability W3: forged, old, early or foreign notices change nothing.

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCardNotice } from './notices.ts';

const secret = 'whsec_one';
const gateway = { accountId: 'acct_1' };
const nowMs = 1_800_000_000_000;
const seconds = Math.floor(nowMs / 1000);

const event = (more: object = {}) => ({
  object: 'event',
  id: 'evt_1',
  type: 'payment_intent.succeeded',
  created: 1_799_999_999,
  livemode: false,
  data: {
    object: { object: 'payment_intent', id: 'pi_1', amount: 5, client_secret: 'x_secret_y' },
  },
  ...more,
});
const digest = (body: string, by = secret, at: number | string = seconds) =>
  createHmac('sha256', by).update(`${at}.${body}`).digest('hex');
const header = (body: string, by = secret, at: number | string = seconds) =>
  `t=${at},v1=${digest(body, by, at)}`;

const parse = (body: string | Buffer, signature: string | null, accountId = 'acct_1') => {
  const headers = signature === null ? {} : { 'stripe-signature': signature };
  return parseCardNotice({ accountId }, { rawBody: Buffer.from(body), headers, secret }, nowMs);
};

const body = JSON.stringify(event());

describe('parseCardNotice', () => {
  it('a genuine notice, reduced to which intent to read; nothing else of it is kept', () => {
    expect(parse(body, header(body))).toEqual({
      id: 'evt_1',
      type: 'payment_intent.succeeded',
      intentId: 'pi_1',
      createdAt: new Date(1_799_999_999_000),
      livemode: false,
      kept: { objectId: 'pi_1', object: 'payment_intent', account: null },
    });
  });

  it.each([
    [{ object: 'charge', id: 'ch_1', payment_intent: 'pi_2' }, 'pi_2'],
    [{ object: 'charge', id: 'ch_1', payment_intent: null }, null],
    [{ object: 'charge', id: 'ch_1', payment_intent: { id: 'pi_3' } }, null],
    [{ object: 'customer', id: 'cus_1' }, null],
  ])('%j is about intent %s', (object, intentId) => {
    const text = JSON.stringify(event({ data: { object } }));
    expect(parse(text, header(text))).toMatchObject({ intentId });
  });

  it.each([
    [{ status: 'under_review', balance_transactions: [{}] }, 1, 'under_review'],
    [{ status: 'a_word_to_come' }, undefined, undefined],
  ])('of a dispute also how it stood: %j', (stood, movements, disputeStatus) => {
    const text = JSON.stringify(event({ data: { object: { object: 'dispute', ...stood } } }));
    expect(parse(text, header(text))).toMatchObject({
      kept: {
        objectId: null,
        object: 'dispute',
        account: null,
        ...(movements ? { movements, disputeStatus } : {}),
      },
    });
  });

  it('of two signatures one has to be ours, during a rotation', () => {
    const both = `t=${seconds},v1=${digest(body, 'whsec_other')},v1=${digest(body)}`;
    expect(parse(body, both)).toMatchObject({ id: 'evt_1' });
    const reversed = `t=${seconds},v1=${digest(body)},v1=${digest(body, 'whsec_other')}`;
    expect(parse(body, reversed)).toMatchObject({ id: 'evt_1' });
    const spaced = `t=${seconds}, v0=abc, v1=${digest(body)}`;
    expect(parse(body, spaced)).toMatchObject({ id: 'evt_1' });
  });

  it.each([-300, -299, 0, 299, 300])('%i s off the time is within the window', (off) => {
    expect(parse(body, header(body, secret, seconds + off))).toMatchObject({ id: 'evt_1' });
  });

  it.each([-301, 301, -86_400, 86_400])('%i s off the time is too old or too early', (off) => {
    expect(parse(body, header(body, secret, seconds + off))).toBe('old_timestamp');
  });

  it.each([
    ['none', null],
    ['empty', ''],
    ['another secret', header(body, 'whsec_two')],
    ['an empty secret', header(body, '')],
    ['another body', header(`${body} `)],
    ['no time', `v1=${digest(body)}`],
    ['two times', `t=${seconds},t=${seconds},v1=${digest(body)}`],
    ['a time moved after signing', `t=${seconds + 1},v1=${digest(body)}`],
    ['a time with a sign', header(body, secret, `+${seconds}`)],
    ['a time with a fraction', header(body, secret, `${seconds}.0`)],
    ['a time of 12 digits', header(body, secret, `00${seconds}`)],
    ['no digest', `t=${seconds}`],
    ['a short digest', `t=${seconds},v1=${digest(body).slice(0, 62)}`],
    ['a long digest', `t=${seconds},v1=${digest(body)}00`],
    ['a digest in capitals', `t=${seconds},v1=${digest(body).toUpperCase()}`],
    ['the digest under another version', `t=${seconds},v0=${digest(body)}`],
    ['over 1 KiB', `t=${seconds},${'v1=00,'.repeat(200)}v1=${digest(body)}`],
  ])('%s: of no secret of ours', (_, signature) => {
    expect(parse(body, signature)).toBe('wrong_secret');
  });

  it.each([
    ['another account', event({ account: 'acct_2' }), 'other_account'],
    ['an event without its object', event({ object: 'v2.core.event' }), 'thin_event'],
    ['no event', event({ object: 'charge' }), 'not_understood'],
    ['no id', event({ id: undefined }), 'not_understood'],
    ['no data', event({ data: undefined }), 'not_understood'],
    ['null', null, 'not_understood'],
    ['a text', 'event', 'not_understood'],
  ])('signed, but %s', (_, said, fault) => {
    const text = JSON.stringify(said);
    expect(parse(text, header(text))).toBe(fault);
  });

  it.each([
    ['a NUL', 'pi_\u0000'],
    ['a lone surrogate', 'pi_\ud800'],
    ['a path', '../payment_intents/pi_x'],
    ['256 characters', 'p'.repeat(256)],
    ['nothing', ''],
  ])('signed, but an id has %s', (_, name) => {
    for (const object of [
      { object: 'payment_intent', id: name },
      { object: name, id: 'pi_1' },
      { object: 'refund', id: name, payment_intent: 'pi_1' },
      { object: 'refund', id: 're_1', payment_intent: name },
    ]) {
      const text = JSON.stringify(event({ data: { object } }));
      expect(parse(text, header(text))).toBe('not_understood');
    }
    const text = JSON.stringify(event({ account: `acct_1${name}` }));
    if (name !== '') expect(parse(text, header(text))).toBe('other_account');
  });

  it.each([{ a: 1 }, ['pi_1'], 1, true])('signed, but an id is %j', (id) => {
    const text = JSON.stringify(event({ data: { object: { object: 'payment_intent', id } } }));
    expect(parse(text, header(text))).toBe('not_understood');
  });

  it('an object without an id, such as a balance, is nothing to refuse', () => {
    const text = JSON.stringify(event({ data: { object: { object: 'balance' } } }));
    expect(parse(text, header(text))).toMatchObject({ intentId: null, kept: { objectId: null } });
  });

  it('the account, where named, is ours', () => {
    const text = JSON.stringify(event({ account: 'acct_1' }));
    expect(parse(text, header(text))).toMatchObject({ id: 'evt_1' });
  });

  it('signed, but not JSON', () => {
    expect(parse('{"object":"event"', header('{"object":"event"'))).toBe('not_understood');
  });

  it('any one byte changed: refused, and never an exception', () => {
    const signature = header(body);
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const bytes = Buffer.from(body);
        bytes[at] = ((bytes[at] ?? 0) + by) % 256;
        const received = { rawBody: bytes, headers: { 'stripe-signature': signature }, secret };
        expect(parseCardNotice(gateway, received, nowMs)).toBe('wrong_secret');
      }),
    );
  });

  it('any header made of the words of the scheme: refused, and never an exception', () => {
    const part = fc.constantFrom(
      't',
      'v1',
      'v0',
      '=',
      ',',
      ' ',
      String(seconds),
      'ab',
      '0',
      digest(''),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        expect(parse(body, parts.join(''))).toBe('wrong_secret');
      }),
      { numRuns: 1000 },
    );
  });
});
