import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Svc, SvcAuthenticationError, type SvcError } from './index.ts';

const svc = new Svc('sk_test_1');
const secret = 'svc_whsec_c2lnbmluZyBzZWNyZXQgb2YgMzIgYnl0ZXMgISEhISE=';
const now = 1_760_000_000;
const payload = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'item.purchased',
  created: now,
  data: { object: { paymentId: 'p', note: 'Grüße – 漢字' } },
});
const hex = (body: string, key = secret, t: string | number = now) =>
  createHmac('sha256', key).update(`${t}.${body}`, 'utf8').digest('hex');
const header = (t: string | number = now, key = secret) => `t=${t},v1=${hex(payload, key, t)}`;

const refusal = (run: () => unknown): SvcError => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(SvcAuthenticationError);
    const refused = error as SvcError;
    expect([refused.type, refused.code]).toEqual([
      'authentication_error',
      'SignatureVerificationFailed',
    ]);
    return refused;
  }
  throw new Error('was accepted');
};
const setTime = (seconds: number) => vi.useFakeTimers({ now: seconds * 1000, toFake: ['Date'] });
afterEach(() => vi.useRealTimers());

describe('constructEvent', () => {
  it('returns the event of a signed delivery, from text and from bytes', () => {
    setTime(now);
    const event = svc.webhooks.constructEvent(payload, header(), secret);
    expect(event).toEqual(JSON.parse(payload));
    const bytes = new TextEncoder().encode(payload);
    expect(svc.webhooks.constructEvent(bytes, header(), secret)).toEqual(JSON.parse(payload));
    // A view into a larger buffer: only its own bytes are signed.
    const larger = Buffer.concat([Buffer.from('xx'), bytes, Buffer.from('yy')]);
    const view = larger.subarray(2, 2 + bytes.length);
    expect(svc.webhooks.constructEvent(view, header(), secret).id).toBe('evt_1');
  });

  it('tells events apart by type', () => {
    setTime(now);
    const event = svc.webhooks.constructEvent(payload, header(), secret);
    if (event.type !== 'item.purchased') throw new Error('other type');
    const paymentId: string | null = event.data.object.paymentId;
    expect(paymentId).toBe('p');
  });

  it('accepts the second of two signatures, as sent while a secret is rotated', () => {
    setTime(now);
    const old = 'svc_whsec_b2xk';
    const both = `t=${now},v1=${hex(payload, old)},v1=${hex(payload)}`;
    expect(svc.webhooks.constructEvent(payload, both, secret).id).toBe('evt_1');
    expect(svc.webhooks.constructEvent(payload, both, old).id).toBe('evt_1');
    refusal(() => svc.webhooks.constructEvent(payload, both, 'svc_whsec_dGhpcmQ='));
  });

  it('verifies the card provider with a whsec_ secret over the whole secret string', () => {
    setTime(now);
    const provider = 'whsec_provider';
    const theirs = `t=${now},v1=${hex(payload, provider)},v0=${'0'.repeat(64)}`;
    expect(svc.webhooks.constructEvent(payload, theirs, provider).id).toBe('evt_1');
    refusal(() => svc.webhooks.constructEvent(payload, theirs, secret));
  });

  it.each(['', 'whsec', 'whsec_', 'svc_whsec_', 'sk_test_1', 'SVC_WHSEC_x', ' svc_whsec_x'])(
    'refuses the secret %j, whatever it signed',
    (wrong) => {
      setTime(now);
      const signed = `t=${now},v1=${createHmac('sha256', wrong).update(`${now}.${payload}`).digest('hex')}`;
      expect(refusal(() => svc.webhooks.constructEvent(payload, signed, wrong)).message).toMatch(
        /secret/,
      );
    },
  );

  it.each([
    [300, true],
    [301, false],
    [-300, true],
    [-301, false],
    [86_400, false],
    [-86_400, false],
  ])('a signature of %i s ago: accepted is %s', (age, isAccepted) => {
    setTime(now);
    const run = () => svc.webhooks.constructEvent(payload, header(now - age), secret);
    if (isAccepted) expect(run().id).toBe('evt_1');
    else expect(refusal(run).message).toMatch(age > 0 ? /s old/ : /in the future/);
  });

  it('takes another tolerance, and none that switches the check off', () => {
    setTime(now);
    const old = header(now - 301);
    expect(svc.webhooks.constructEvent(payload, old, secret, 400).id).toBe('evt_1');
    refusal(() => svc.webhooks.constructEvent(payload, header(now - 1), secret, 0));
    for (const off of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
      refusal(() => svc.webhooks.constructEvent(payload, old, secret, off));
    }
  });

  const good = hex(payload);
  it.each<[string, string]>([
    ['no t', `v1=${good}`],
    ['t twice', `t=${now},t=${now},v1=${good}`],
    ['two t, the first right', `t=${now},v1=${good},t=${now - 1}`],
    ['no signature', `t=${now}`],
    ['only another scheme', `t=${now},v0=${good}`],
    ['63 digits', `t=${now},v1=${good.slice(1)}`],
    ['65 digits', `t=${now},v1=${good}0`],
    ['upper case', `t=${now},v1=${good.toUpperCase()}`],
    ['base64', `t=${now},v1=${Buffer.from(good, 'hex').toString('base64')}`],
    ['a right one beside a malformed one', `t=${now},v1=${good},v1=zz`],
    ['six signatures', `t=${now}${`,v1=${good}`.repeat(6)}`],
    ['over 1 KiB', `t=${now},v1=${good},x=${'y'.repeat(1024)}`],
    ['a part without a name', `t=${now},=1,v1=${good}`],
    ['spaces', `t=${now}, v1=${good}`],
    ['semicolons', `t=${now};v1=${good}`],
    ['nothing', ''],
    ['words', 'hello'],
  ])('refuses a header with %s', (_, wrong) => {
    setTime(now);
    refusal(() => svc.webhooks.constructEvent(payload, wrong, secret));
  });

  it.each(['', `00${now}`, `+${now}`, `${now}.0`, '0x68e7', ` ${now}`, `-${now}`, '1e9', 'NaN'])(
    'refuses t=%j though it is signed',
    (t) => {
      setTime(now);
      const signed = `t=${t},v1=${hex(payload, secret, t)}`;
      expect(refusal(() => svc.webhooks.constructEvent(payload, signed, secret)).message).toMatch(
        /1 to 11 digits/,
      );
    },
  );

  it('takes t as 11 digits', () => {
    setTime(now);
    expect(svc.webhooks.constructEvent(payload, header(`0${now}`), secret).id).toBe('evt_1');
  });

  it('accepts up to five signatures and exactly 1 KiB', () => {
    setTime(now);
    const five = `t=${now}${`,v1=${'0'.repeat(64)}`.repeat(4)},v1=${good}`;
    expect(svc.webhooks.constructEvent(payload, five, secret).id).toBe('evt_1');
    const start = `t=${now},v1=${good},x=`;
    const full = start + 'y'.repeat(1024 - start.length);
    expect(svc.webhooks.constructEvent(payload, full, secret).id).toBe('evt_1');
  });

  it('takes an ArrayBuffer, as request.arrayBuffer() gives it, and other views of bytes', () => {
    setTime(now);
    const { buffer } = new TextEncoder().encode(payload);
    for (const bytes of [buffer, new DataView(buffer) as never]) {
      expect(svc.webhooks.constructEvent(bytes, header(), secret).id).toBe('evt_1');
      const own = svc.webhooks.generateTestHeader({ payload: bytes, secret, timestamp: now });
      expect(own).toBe(header());
    }
    const changed = buffer.slice(0, -1);
    expect(refusal(() => svc.webhooks.constructEvent(changed, header(), secret)).message).toMatch(
      /No signature matches/,
    );
    const constructFromEmpty = () =>
      svc.webhooks.constructEvent(new ArrayBuffer(0), header(), secret);
    expect(refusal(constructFromEmpty).message).toMatch(/is empty/);
  });

  it.each<[string, unknown]>([
    ['all headers', { 'svc-signature': header() }],
    ['fetch headers', new Headers({ 'svc-signature': header() })],
    ['headers without a prototype', Object.assign(Object.create(null), { a: 'b' })],
    ['a number', 7],
    ['a function', () => header()],
    ['an array of objects', [{ value: header() }]],
    ['an array of symbols', [Symbol('signature')]],
  ])('refuses %s in the place of the header, and names the one to pass', (_, given) => {
    setTime(now);
    const run = () => svc.webhooks.constructEvent(payload, given as string, secret);
    expect(refusal(run).message).toContain("request.headers['svc-signature']");
    const provider = () => svc.webhooks.constructEvent(payload, given as string, 'whsec_x');
    expect(refusal(provider).message).toContain("request.headers['stripe-signature']");
  });

  it.each([undefined, null, [], [header(), header()]])('refuses the header value %j', (value) => {
    setTime(now);
    refusal(() => svc.webhooks.constructEvent(payload, value, secret));
  });

  it.each<[string, unknown, RegExp]>([
    ['a parsed object', JSON.parse(payload), /already parsed.*express\.raw.*Fastify.*Next\.js/s],
    ['"[object Object]"', '[object Object]', /already parsed/],
    ['nothing', undefined, /undefined: nothing read/],
    ['an empty text', '', /empty: something read/],
    ['no bytes', new Uint8Array(), /empty/],
    ['a number', 7, /is a number/],
  ])('names the fix when the payload is %s', (_, wrong, message) => {
    setTime(now);
    const run = () => svc.webhooks.constructEvent(wrong as string, header(), secret);
    expect(refusal(run).message).toMatch(message);
  });

  it.each(['\n', ' ', '\r\n', '"', "'", '`'])(
    'says that %j stands around the secret, before or behind it',
    (odd) => {
      const header = svc.webhooks.generateTestHeader({ payload, secret });
      for (const wrong of [`${secret}${odd}`, `${odd}${secret}`, `${odd}${secret}${odd}`]) {
        const verify = () => svc.webhooks.constructEvent(payload, header, wrong);
        expect(verify).toThrow(/blanks, line ends or quotes around it/);
      }
    },
  );

  it('says that a body is base64, as text and as bytes', () => {
    for (const raw of [payload, ` ${payload}`]) {
      const encoded = Buffer.from(raw).toString('base64');
      const header = svc.webhooks.generateTestHeader({ payload: raw, secret });
      for (const body of [encoded, new TextEncoder().encode(encoded)]) {
        const verify = () => svc.webhooks.constructEvent(body, header, secret);
        expect(verify).toThrow(/is base64, as AWS API Gateway and Lambda/);
      }
    }
  });

  it('says that the body may have been written again when nothing matches', () => {
    setTime(now);
    const rewritten = JSON.stringify(JSON.parse(payload), null, 2);
    const run = () => svc.webhooks.constructEvent(rewritten, header(), secret);
    expect(refusal(run).message).toMatch(/raw body, never JSON that was parsed/);
  });

  it.each(['no json', '[]', 'null', '"text"', '{"id":"evt_1"}', '{"id":1,"type":"a","data":{}}'])(
    'refuses %j though it is signed',
    (body) => {
      setTime(now);
      refusal(() => svc.webhooks.constructEvent(body, `t=${now},v1=${hex(body)}`, secret));
    },
  );

  it('refuses every delivery of which one byte of body, header or secret was changed', () => {
    setTime(now);
    const bytes = Buffer.from(payload);
    const changeByte = (source: Buffer, index: number, by: number) => {
      const changed = Buffer.from(source);
      changed[index % source.length] = (source[index % source.length] ?? 0) ^ by;
      return changed;
    };
    // Includes the header's own names: a header without `t` or `v1` is no signature.
    const signed = Buffer.from(header());
    const where = fc.record({
      part: fc.constantFrom('body', 'header', 'secret'),
      index: fc.nat(),
      by: fc.integer({ min: 1, max: 127 }),
    });
    fc.assert(
      fc.property(where, ({ part, index, by }) => {
        const body = part === 'body' ? changeByte(bytes, index, by) : bytes;
        const head =
          part === 'header' ? changeByte(signed, index, by).toString('latin1') : header();
        const key =
          part === 'secret'
            ? changeByte(Buffer.from(secret), index, by).toString('latin1')
            : secret;
        refusal(() => svc.webhooks.constructEvent(body, head, key));
      }),
      { numRuns: 2_000 },
    );
  });

  it('accepts whatever generateTestHeader signs, at any time within the tolerance', () => {
    setTime(now);
    const event = fc.record({
      id: fc.string(),
      type: fc.string(),
      data: fc.dictionary(fc.string(), fc.json()),
    });
    const cases = fc.tuple(
      event,
      fc.integer({ min: -300, max: 300 }),
      fc.base64String({ minLength: 4 }),
    );
    fc.assert(
      fc.property(cases, ([body, age, key]) => {
        const text = JSON.stringify(body);
        const own = `svc_whsec_${key}`;
        const signed = svc.webhooks.generateTestHeader({
          payload: text,
          secret: own,
          timestamp: now - age,
        });
        expect(svc.webhooks.constructEvent(text, signed, own)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('generateTestHeader', () => {
  it('signs as of now and refuses what no sender could sign', () => {
    setTime(now);
    expect(svc.webhooks.generateTestHeader({ payload, secret })).toBe(header());
    refusal(() => svc.webhooks.generateTestHeader({ payload, secret: 'other' }));
    expect(() => svc.webhooks.generateTestHeader({ payload, secret, timestamp: 1.5 })).toThrow(
      /whole unix seconds/,
    );
  });
});
