// Refunds that a second person approves. Additions §2, Refund requests.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveClock } from '../../../test/harness.ts';
import { raceFor, untilBlocked } from '../../../test/held-row.ts';
import {
  type CallAnswer,
  type Colleague,
  type Office,
  openOffice,
} from '../../../test/people/office.ts';

let office: Office;
let owner: Colleague;
let admin: Colleague;
let support: Colleague;
beforeAll(async () => {
  office = await openOffice();
  owner = await office.join('owner');
  admin = await office.join('admin');
  support = await office.join('support');
});
afterAll(() => office?.close());

const minute = 60_000;
const day = 24 * 60 * minute;
const statusAndCode = ({ status, code }: CallAnswer) => [status, code];
const approve = (person: Colleague, made: CallAnswer) => office.decide(person, 'approve', made);
const decline = (person: Colleague, made: CallAnswer) => office.decide(person, 'decline', made);
const readRequest = ({ body }: CallAnswer) =>
  office.as(owner, `GET /v1/refund-requests/${body.id}`);

describe('createRefundRequest', () => {
  it('201: waits, moves nothing, and is listed', async () => {
    const paymentId = await office.purchase();
    const made = await office.request(support, paymentId, { amount: 12, note: 'Broken mug' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        paymentId,
        amount: 12,
        currency: 'EUR',
        note: 'Broken mug',
        status: 'waiting',
        requestedBy: { userId: support.id },
        decidedBy: null,
        refundId: null,
      },
    });
    expect(await office.givenBack(paymentId)).toEqual([]);
    const listed = await office.as(owner, 'GET /v1/refund-requests?status[eq]=waiting');
    expect(listed.body.data).toContainEqual(made.body);
    expect((await readRequest(made)).body).toEqual(made.body);
  });

  it('the same key again: the same request; 409 idempotency_key_reused with another body', async () => {
    const paymentId = await office.purchase();
    const key = randomUUID();
    const first = await office.request(support, paymentId, { key, amount: 5 });
    const again = await office.request(support, paymentId, { key, amount: 5 });
    expect(again.body).toEqual(first.body);
    expect(statusAndCode(await office.request(support, paymentId, { key, amount: 6 }))).toEqual([
      409,
      'idempotency_key_reused',
    ]);
  });

  it('the same key for two payments at once: one request, 409 idempotency_key_reused for the other', async () => {
    const payments = [await office.purchase(), await office.purchase()];
    const key = randomUUID();
    const made = await Promise.all(
      payments.map((paymentId) => office.request(support, paymentId, { amount: 1, key })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(made.find(({ status }) => status === 409)?.code).toBe('idempotency_key_reused');
  });

  it('422 refund_amount_exceeds_available, 422 amount_precision, 404 payment_not_found', async () => {
    const paymentId = await office.purchase();
    const requestRefund = async (amount: number, id = paymentId) =>
      statusAndCode(await office.request(support, id, { amount }));
    expect(await requestRefund(19.91)).toEqual([422, 'refund_amount_exceeds_available']);
    expect(await requestRefund(1.001)).toEqual([422, 'amount_precision']);
    expect(await requestRefund(1, randomUUID())).toEqual([404, 'payment_not_found']);
  });

  it('403 merchant_role_required: viewers and members ask for nothing', async () => {
    const paymentId = await office.purchase();
    for (const role of ['viewer', 'member'] as const) {
      const said = await office.request(await office.join(role), paymentId);
      expect(statusAndCode(said)).toEqual([403, 'merchant_role_required']);
    }
  });
});

describe('approveRefundRequest', () => {
  it('200: one refund, with both names in details and timeline', async () => {
    const paymentId = await office.purchase();
    const made = await office.request(support, paymentId, { amount: 12 });
    const said = await approve(admin, made);
    expect(said).toMatchObject({
      status: 200,
      body: {
        status: 'approved',
        decidedBy: { userId: admin.id },
        refundId: expect.any(String),
        refundStatus: 'succeeded',
      },
    });
    expect(await office.givenBack(paymentId)).toEqual([1200]);
    const details = await office.as(owner, `GET /v1/payments/${paymentId}/details`);
    expect(details.body.refunds.data).toMatchObject([
      {
        id: said.body.refundId,
        requestedBy: { userId: support.id },
        approvedBy: { userId: admin.id },
      },
    ]);
    const month = details.body.refunds.data[0].createdAt.slice(0, 7);
    const ledger = await office.as(owner, `GET /v1/reports/months/${month}/ledger?style=json`);
    const lines = ledger.body
      .split('\n')
      .filter((line: string) => line.includes(said.body.refundId));
    expect(lines.map((line: string) => JSON.parse(line))).toMatchObject([
      { kind: 'refund', asked_by: support.email, approved_by: admin.email },
    ]);
    const timeline = await office.as(owner, `GET /v1/payments/${paymentId}/timeline?limit=100`);
    expect(timeline.body.data).toContainEqual(
      expect.objectContaining({
        text: expect.stringMatching(/^Ada refunded .*12.*, approved by Ada\.$/),
        actor: expect.objectContaining({ kind: 'person', userId: support.id }),
        approvedBy: expect.objectContaining({ kind: 'person', userId: admin.id }),
      }),
    );
    const log = await office.as(owner, 'GET /v1/audit-entries?action[eq]=refund_request.approved');
    expect(log.body.data[0]).toMatchObject({
      actor: { userId: admin.id },
      after: { requestedBy: support.id, refundId: said.body.refundId },
    });
    // The refund does not count among those that support made without approval.
    expect((await office.as(support, 'GET /v1/refund-rule')).body.used).toEqual([]);
  });

  it('again, by the same and by another: the same refund', async () => {
    const paymentId = await office.purchase();
    const made = await office.request(support, paymentId, { amount: 3 });
    const first = await approve(admin, made);
    const again = [await approve(admin, made), await approve(owner, made)];
    for (const { status, body } of again) expect([status, body]).toEqual([200, first.body]);
    expect(await office.givenBack(paymentId)).toEqual([300]);
  });

  it('makes its refund though a merchant’s own key has the same name', async () => {
    const paymentId = await office.purchase();
    const made = await office.request(support, paymentId, { amount: 3 });
    const own = { body: { amount: 1 }, key: `refund-request-${made.body.id}` };
    const refunded = await office.as(admin, `POST /v1/payments/${paymentId}/refunds`, own);
    expect(refunded.status).toBe(201);
    expect(await approve(admin, made)).toMatchObject({ status: 200, body: { status: 'approved' } });
    expect(await office.givenBack(paymentId)).toEqual([100, 300]);
  });

  it('at once, ten times by two: one refund', async () => {
    const paymentId = await office.purchase();
    const made = await office.request(support, paymentId, { amount: 3 });
    const people = Array.from({ length: 10 }, (_, at) => (at % 2 ? owner : admin));
    // On a slow machine the refund may outlast the five seconds that an approval waits.
    const approveAtLast = async (person: Colleague): Promise<CallAnswer> => {
      for (;;) {
        const said = await approve(person, made);
        if (said.code !== 'payment_operation_in_progress') return said;
      }
    };
    const said = await Promise.all(people.map(approveAtLast));
    expect(said.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const { refundId } = (await readRequest(made)).body;
    expect(refundId).toEqual(expect.any(String));
    expect(said.map(({ body }) => body.refundId)).toEqual(Array(10).fill(refundId));
    expect(await office.givenBack(paymentId)).toEqual([300]);
  });

  it('403 own_refund_request: nobody approves what they asked for, by browser or token', async () => {
    const paymentId = await office.purchase();
    const made = await office.request(owner, paymentId, { amount: 3 });
    expect(statusAndCode(await approve(owner, made))).toEqual([403, 'own_refund_request']);
    expect(await office.givenBack(paymentId)).toEqual([]);
    expect((await approve(admin, made)).status).toBe(200);
  });

  it('403 merchant_role_required: support, viewer and member; finance only where the rule says so', async () => {
    const paymentId = await office.purchase();
    const made = await office.request(support, paymentId, { amount: 3 });
    for (const role of ['support', 'viewer', 'member', 'finance'] as const) {
      const said = await approve(await office.join(role), made);
      expect([role, ...statusAndCode(said)]).toEqual([role, 403, 'merchant_role_required']);
    }
    const rule = { limits: [], otherCurrencies: null, financeApproves: true };
    await office.as(owner, 'PUT /v1/refund-rule', { body: rule });
    expect((await approve(await office.join('finance'), made)).status).toBe(200);
    await office.as(owner, 'PUT /v1/refund-rule', { body: { ...rule, financeApproves: false } });
  });

  it('409 refund_requester_gone: who asked was removed, or refunds no more', async () => {
    const paymentId = await office.purchase();
    const leaver = await office.join('support');
    const moved = await office.join('support');
    const made = [
      await office.request(leaver, paymentId, { amount: 3 }),
      await office.request(moved, paymentId, { amount: 3 }),
    ];
    await office.as(owner, `DELETE /v1/members/${leaver.id}`, { body: null });
    await office.as(owner, `PATCH /v1/members/${moved.id}`, { body: { role: 'viewer' } });
    for (const each of made) {
      expect(statusAndCode(await approve(admin, each))).toEqual([409, 'refund_requester_gone']);
    }
    expect(await office.givenBack(paymentId)).toEqual([]);
  });

  it('422 refund_amount_exceeds_available: refunded meanwhile; the request still waits', async () => {
    const paymentId = await office.purchase();
    const made = await office.request(support, paymentId, { amount: 12 });
    await office.refund(owner, paymentId, 10);
    expect(statusAndCode(await approve(admin, made))).toEqual([
      422,
      'refund_amount_exceeds_available',
    ]);
    expect((await readRequest(made)).body.status).toBe('waiting');
    expect(await office.givenBack(paymentId)).toEqual([1000]);
  });

  it('two requests of one payment, approved at once: never more than there is', async () => {
    const paymentId = await office.purchase();
    const made = [
      await office.request(support, paymentId, { amount: 12 }),
      await office.request(support, paymentId, { amount: 12 }),
    ];
    const said = await Promise.all(made.map((each) => approve(admin, each)));
    expect(said.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(await office.givenBack(paymentId)).toEqual([1200]);
  });

  describe('what others change while an approval waits for the payment’s lock', () => {
    const setRule = (financeApproves: boolean) =>
      office.as(owner, 'PUT /v1/refund-rule', {
        body: { limits: [], otherCurrencies: null, financeApproves },
      });

    /** Approves in two steps: the first read sees the request as it is before the change. */
    async function approveMeanwhile(
      { approver = admin, asker = support }: { approver?: Colleague; asker?: Colleague },
      change: (made: CallAnswer) => Promise<CallAnswer>,
    ) {
      const paymentId = await office.purchase();
      const made = await office.request(asker, paymentId, { amount: 3 });
      const lock = 'select from payments where id = $1 for update';
      const meanwhile = async () => expect((await change(made)).status).toBe(200);
      const [said] = await raceFor(
        office.world.url,
        { lock, values: [paymentId], waiting: 1, meanwhile },
        () => [approve(approver, made)],
      );
      expect(await office.givenBack(paymentId)).toEqual([]);
      return [said?.status, said?.code, (await readRequest(made)).body.status];
    }

    it('409 refund_request_decided: somebody declines, who waited for the lock before', async () => {
      const { url } = office.world;
      const paymentId = await office.purchase();
      const made = await office.request(support, paymentId, { amount: 3 });
      const lock = 'select from payments where id = $1 for update';
      const said = await raceFor(url, { lock, values: [paymentId], waiting: 2 }, () => {
        const declined = decline(owner, made);
        // The approval has seen a request that waits, and gets the lock after it was declined.
        return [declined, untilBlocked(url).then(() => approve(admin, made))];
      });
      expect(said.map(statusAndCode)).toEqual([
        [200, undefined],
        [409, 'refund_request_decided'],
      ]);
      expect((await readRequest(made)).body.status).toBe('declined');
      expect(await office.givenBack(paymentId)).toEqual([]);
    });

    it('403 merchant_role_required: finance may not approve any more', async () => {
      await setRule(true);
      const approver = await office.join('finance');
      const said = await approveMeanwhile({ approver }, () => setRule(false));
      expect(said).toEqual([403, 'merchant_role_required', 'waiting']);
    });

    it('403 merchant_role_required: the approver’s role is taken away', async () => {
      const approver = await office.join('admin');
      const said = await approveMeanwhile({ approver }, () =>
        office.as(owner, `PATCH /v1/members/${approver.id}`, { body: { role: 'support' } }),
      );
      expect(said).toEqual([403, 'merchant_role_required', 'waiting']);
    });

    it('409 refund_requester_gone: who asked refunds no more', async () => {
      const asker = await office.join('support');
      const said = await approveMeanwhile({ asker }, () =>
        office.as(owner, `PATCH /v1/members/${asker.id}`, { body: { role: 'viewer' } }),
      );
      expect(said).toEqual([409, 'refund_requester_gone', 'waiting']);
    });
  });

  it('404 refund_request_not_found: unknown, or another merchant’s', async () => {
    const other = await openOffice();
    try {
      const boss = await other.join('owner');
      const made = await office.request(support, await office.purchase(), { amount: 3 });
      for (const act of ['approve', 'decline']) {
        const said = await other.as(boss, `POST /v1/refund-requests/${made.body.id}/${act}`);
        expect(statusAndCode(said)).toEqual([404, 'refund_request_not_found']);
      }
    } finally {
      await other.close();
    }
  });

  it('409 no_second_person: one owner alone has nobody to ask', async () => {
    const other = await openOffice();
    try {
      const boss = await other.join('owner');
      const { userId, id } = other.world.token;
      await other.as(boss, `DELETE /v1/members/${userId}?tokenIds=${id}`, { body: null });
      expect((await other.as(boss, 'GET /v1/refund-rule')).body.approvers).toEqual([]);
      const alone = await other.request(boss, await other.purchase(), { amount: 3 });
      expect(statusAndCode(alone)).toEqual([409, 'no_second_person']);
    } finally {
      await other.close();
    }
  });
});

describe('declineRefundRequest', () => {
  it('200, repeatable; then nobody approves it: 409 refund_request_decided', async () => {
    const paymentId = await office.purchase();
    const made = await office.request(support, paymentId, { amount: 3 });
    const first = await decline(admin, made);
    expect(first.body).toMatchObject({ status: 'declined', decidedBy: { userId: admin.id } });
    expect((await decline(owner, made)).body).toEqual(first.body);
    expect(statusAndCode(await approve(owner, made))).toEqual([409, 'refund_request_decided']);
    expect(await office.givenBack(paymentId)).toEqual([]);
  });

  it('200: who asked takes it back; 403 merchant_role_required of another who only asks', async () => {
    const made = await office.request(support, await office.purchase(), { amount: 3 });
    const other = await office.join('support');
    expect(statusAndCode(await decline(other, made))).toEqual([403, 'merchant_role_required']);
    expect((await decline(support, made)).body.status).toBe('declined');
  });

  it('409 refund_request_decided: approved already', async () => {
    const made = await office.request(support, await office.purchase(), { amount: 3 });
    await approve(admin, made);
    expect(statusAndCode(await decline(admin, made))).toEqual([409, 'refund_request_decided']);
  });

  it('at once with an approval: declined without a refund, or approved with one', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const paymentId = await office.purchase();
      const made = await office.request(support, paymentId, { amount: 3 });
      await Promise.all([approve(admin, made), decline(owner, made)]);
      const { status } = (await readRequest(made)).body;
      expect(await office.givenBack(paymentId)).toEqual(status === 'approved' ? [300] : []);
    }
  });
});

// Runs last, because sign-ins expire when the clock moves by days.
describe('a refund request that nobody decides', () => {
  it('409 refund_request_expired: after seven days, and not a minute before', async () => {
    const paymentId = await office.purchase();
    const inTime = await office.request(support, paymentId, { amount: 2 });
    const made = await office.request(support, paymentId, { amount: 3 });
    await moveClock(office.world.database, 7 * day - minute);
    const again = await office.join('admin');
    expect((await approve(again, inTime)).body).toMatchObject({ status: 'approved' });
    await moveClock(office.world.database, minute + 1000);
    expect(statusAndCode(await approve(again, made))).toEqual([409, 'refund_request_expired']);
    expect((await office.as(again, `GET /v1/refund-requests/${made.body.id}`)).body.status).toBe(
      'expired',
    );
    await moveClock(office.world.database, 0);
  });
});
