// The limits for refunds without approval. Additions §2, Refund rule.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveClock } from '../../../test/harness.ts';
import { type Colleague, type Office, openOffice } from '../../../test/people/office.ts';

let office: Office;
let owner: Colleague;
beforeAll(async () => {
  office = await openOffice();
  owner = await office.join('owner');
});
afterAll(() => office?.close());

const eur = (perRefund: number, perDay: number) => ({
  limits: [{ currency: 'EUR', perRefund, perDay }],
  otherCurrencies: null,
  financeApproves: false,
});
const setRule = (body: object, person = owner) =>
  office.as(person, 'PUT /v1/refund-rule', { body });

describe('the refund rule', () => {
  it('200: until it is set, 200 a refund and 1000 a day hold in each currency', async () => {
    const support = await office.join('support');
    expect((await office.as(support, 'GET /v1/refund-rule')).body).toMatchObject({
      limits: [],
      otherCurrencies: { perRefund: 200, perDay: 1000 },
      financeApproves: false,
      updatedAt: null,
      isBounded: true,
      used: [],
      approvers: expect.arrayContaining(['Ada']),
    });
    const dear = await office.purchase({ quantity: 11 });
    const said = await office.refund(support, dear);
    expect([said.status, said.code]).toEqual([403, 'refund_limit_exceeded']);
    expect(said.body.message).toContain('up to 200 EUR at once and 1000 EUR within 24 hours');
    expect((await office.refund(support, dear, 200)).status).toBe(201);
    // The same numbers in yen are less money: the rule is stricter there, never wider.
    const yen = await office.purchase({ currency: 'JPY' });
    expect((await office.refund(support, yen)).code).toBe('refund_limit_exceeded');
    expect(await office.givenBack(yen)).toEqual([]);
  });

  it('200: owners and admins set it, and the audit log tells what it was', async () => {
    const admin = await office.join('admin');
    const before = await setRule(eur(50, 100));
    const after = await setRule({ ...eur(20, 30), financeApproves: true }, admin);
    expect(after.body).toMatchObject({
      limits: [{ currency: 'EUR', perRefund: 20, perDay: 30 }],
      otherCurrencies: null,
      financeApproves: true,
      isBounded: false,
    });
    const log = await office.as(owner, 'GET /v1/audit-entries?action[eq]=refund_rule.updated');
    expect(log.body.data[0]).toMatchObject({
      actor: { userId: admin.id },
      before: { limits: before.body.limits },
      after: { limits: after.body.limits, financeApproves: true },
    });
  });

  it.each(['finance', 'support', 'viewer', 'member'] as const)(
    '403 merchant_role_required: %s sets no rule',
    async (role) => {
      const said = await setRule(eur(1, 1), await office.join(role));
      expect([said.status, said.code]).toEqual([403, 'merchant_role_required']);
    },
  );

  it('400 invalid_request: a currency with two limits; 422 amount_precision: too many decimals', async () => {
    const twice = { ...eur(1, 1), limits: [...eur(1, 1).limits, ...eur(2, 2).limits] };
    expect(await setRule(twice)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await setRule(eur(1.001, 2))).toMatchObject({ status: 422, code: 'amount_precision' });
  });
});

describe('a refund within the rule', () => {
  it('201: of support and finance, until the day is full; a day later it begins anew', async () => {
    await setRule(eur(20, 30));
    for (const role of ['support', 'finance'] as const) {
      const person = await office.join(role);
      const paymentId = await office.purchase({ quantity: 5 });
      expect((await office.refund(person, paymentId, 20)).status).toBe(201);
      expect(await office.refund(person, paymentId, 10.01)).toMatchObject({
        status: 403,
        code: 'refund_limit_exceeded',
      });
      expect((await office.refund(person, paymentId, 10)).status).toBe(201);
      expect((await office.refund(person, paymentId, 0.01)).body.message).toContain(
        'of which 0 EUR are left',
      );
      expect((await office.as(person, 'GET /v1/refund-rule')).body.used).toEqual([
        { currency: 'EUR', amount: 30 },
      ]);
      expect(await office.givenBack(paymentId)).toEqual([2000, 1000]);
    }
  });

  it('403 refund_limit_exceeded: in a currency that the rule does not name', async () => {
    await setRule(eur(20, 30));
    const support = await office.join('support');
    const yen = await office.purchase({ currency: 'JPY' });
    expect(await office.refund(support, yen, 1)).toMatchObject({
      status: 403,
      code: 'refund_limit_exceeded',
    });
  });

  it('201: owners and admins refund without a limit', async () => {
    await setRule(eur(0, 0));
    const paymentId = await office.purchase();
    expect((await office.refund(await office.join('admin'), paymentId, 9.9)).status).toBe(201);
    expect((await office.refund(owner, paymentId, 10)).status).toBe(201);
  });

  it.each(['viewer', 'member'] as const)(
    '403 merchant_role_required: %s refunds nothing',
    async (role) => {
      const paymentId = await office.purchase();
      const said = await office.refund(await office.join(role), paymentId, 1);
      expect([said.status, said.code]).toEqual([403, 'merchant_role_required']);
      expect(await office.givenBack(paymentId)).toEqual([]);
    },
  );

  it('two at once, of two payments, at the limit of the day: one passes', async () => {
    await setRule(eur(20, 20));
    for (let turn = 0; turn < 5; turn++) {
      const support = await office.join('support');
      const payments = [await office.purchase(), await office.purchase()];
      const said = await Promise.all(payments.map((id) => office.refund(support, id, 15)));
      expect(said.map(({ status }) => status).sort()).toEqual([201, 403]);
      const given = await Promise.all(payments.map((id) => office.givenBack(id)));
      expect(given.flat()).toEqual([1500]);
    }
  });

  it('a day is any 24 hours: it is not doubled at midnight, and ends', async () => {
    await setRule(eur(20, 20));
    const support = await office.join('support');
    const paymentId = await office.purchase({ quantity: 5 });
    expect((await office.refund(support, paymentId, 20)).status).toBe(201);
    const readUsed = () => office.as(support, 'GET /v1/refund-rule');
    await moveClock(office.world.database, 23 * 3_600_000);
    await office.signIn(support);
    expect((await readUsed()).body.used).toEqual([{ currency: 'EUR', amount: 20 }]);
    await moveClock(office.world.database, 2 * 3_600_000);
    await office.signIn(support);
    expect((await readUsed()).body.used).toEqual([]);
    await moveClock(office.world.database, 0);
  });
});
