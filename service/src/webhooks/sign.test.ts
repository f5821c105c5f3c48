import { createHmac, timingSafeEqual } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Webhooks } from '../../../libraries/server/src/webhooks.ts';
import { newWebhookSecret } from '../domain/protocol/webhook-secret.ts';
import { signatureHeaders } from './sign.ts';

const current = newWebhookSecret(Buffer.alloc(32, 7));
const previous = newWebhookSecret(Buffer.alloc(32, 9));
const call = {
  body: '{"note":"Töpfe ☕"}',
  eventId: 'evt_0199',
  now: new Date('2026-03-01T12:00:00.900Z'),
};

/**
 * Verifies by the text of contract §7: HMAC-SHA256 of `t.rawBody`, key = the whole secret string.
 */
function verifyOwn(header: string, body: Buffer, secret: string): boolean {
  const [, t] = /(?:^|,)t=(\d{1,11})(?:,|$)/.exec(header) ?? [];
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest();
  return [...header.matchAll(/v1=([0-9a-f]{64})(?=,|$)/g)].some(([, hex = '']) =>
    timingSafeEqual(Buffer.from(hex, 'hex'), expected),
  );
}

/** standardwebhooks.com: base64 HMAC-SHA256 of `id.timestamp.body`, key = the decoded secret. */
function verifyStandard(headers: Record<string, string>, body: Buffer, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^svc_whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`)
    .update(body)
    .digest('base64');
  return (headers['webhook-signature'] ?? '').split(' ').some((part) => part === `v1,${expected}`);
}

const bytes = Buffer.from(call.body);

describe('signatureHeaders', () => {
  it('signs in both schemes, with whole seconds', () => {
    const headers = signatureHeaders({ ...call, secrets: [current] });
    expect(headers['svc-signature']).toMatch(/^t=1772366400,v1=[0-9a-f]{64}$/);
    expect(headers['webhook-timestamp']).toBe('1772366400');
    expect(verifyOwn(headers['svc-signature'] ?? '', bytes, current)).toBe(true);
    expect(verifyStandard(headers, bytes, current)).toBe(true);
  });

  it('known values: independent of the code that verifies', () => {
    const secret = `svc_whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const headers = signatureHeaders({
      body: '{}',
      eventId: 'evt_1',
      secrets: [secret],
      now: new Date(1_700_000_000_000),
    });
    expect(headers).toEqual({
      'svc-signature':
        't=1700000000,v1=c73afe0494be789cd2d1d07e7f38dbb154129bc0fcc97ad00af3bcd699e5e22b',
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': 'v1,QwqMkShzqrc1Gme9vey76orVgdgb2XWjbuHPBS2IVKY=',
    });
  });

  it('two secrets during a rotation: each verifies, in both schemes', () => {
    const headers = signatureHeaders({ ...call, secrets: [current, previous] });
    expect(headers['svc-signature']?.match(/v1=/g)).toHaveLength(2);
    for (const secret of [current, previous]) {
      expect(verifyOwn(headers['svc-signature'] ?? '', bytes, secret)).toBe(true);
      expect(verifyStandard(headers, bytes, secret)).toBe(true);
    }
  });

  it('Spec 6 rule 3: E10: the server library accepts it with either secret, and with no third one', () => {
    const body = JSON.stringify({
      id: 'evt_0199',
      type: 'payment.authorized',
      data: { object: { note: '☕' } },
    });
    const secrets = [current, previous];
    const headers = signatureHeaders({ ...call, body, secrets, now: new Date() });
    const header = headers['svc-signature'];
    const library = new Webhooks({});
    for (const secret of secrets) {
      expect(library.constructEvent(Buffer.from(body), header, secret)).toMatchObject({
        id: 'evt_0199',
      });
    }
    const third = newWebhookSecret(Buffer.alloc(32, 8));
    expect(() => library.constructEvent(Buffer.from(body), header, third)).toThrow();
    const old = signatureHeaders({ ...call, body, secrets, now: new Date(Date.now() - 301_000) });
    expect(() => library.constructEvent(body, old['svc-signature'], current)).toThrow();
  });

  it('one changed byte, another secret or another time: nothing verifies', () => {
    const headers = signatureHeaders({ ...call, secrets: [current] });
    const changed = Buffer.from(call.body.replace('ö', 'o'));
    const header = headers['svc-signature'] ?? '';
    expect(verifyOwn(header, changed, current)).toBe(false);
    expect(verifyStandard(headers, changed, current)).toBe(false);
    expect(verifyOwn(header, bytes, previous)).toBe(false);
    expect(verifyStandard(headers, bytes, previous)).toBe(false);
    expect(verifyOwn(header.replace('t=1772366400', 't=1772366401'), bytes, current)).toBe(false);
    expect(verifyStandard({ ...headers, 'webhook-id': 'evt_2' }, bytes, current)).toBe(false);
  });
});
