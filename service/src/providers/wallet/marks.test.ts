import { describe, expect, it } from 'vitest';
import { readEvent } from './notices.ts';
import {
  makerOfRefund,
  makerOfUnit,
  marksOfUnit,
  orderCustomId,
  orderOfRefund,
  refundCustomId,
  releasedMark,
} from './translate.ts';

const uuid = (n: number) => `0000000${n}-0000-7000-8000-000000000000`;
const [installation, merchant, payment, operation] = [uuid(1), uuid(2), uuid(3), uuid(4)];
const installations = { all: [installation], ours: [installation], undecided: [] };
const making = { clientId: merchant, installations };
const customId = orderCustomId(making, operation, payment);
const ofRefund = refundCustomId(making, operation, '5O190127TN364715T');
const maker = { installationId: installation, merchantId: merchant };

describe('the marks of a wallet', () => {
  it.each([customId, releasedMark(customId)])('an order names payment and maker: %s', (text) => {
    const unit = { invoice_id: payment, custom_id: text };
    expect(marksOfUnit(unit)).toEqual({ paymentId: payment, sessionId: null });
    expect(makerOfUnit(unit)).toEqual(maker);
  });

  it('a refund names its order and installation', () => {
    expect(orderOfRefund(ofRefund)).toBe('5O190127TN364715T');
    expect(makerOfRefund(ofRefund)).toEqual({ ...maker, merchantId: null });
  });

  it('fit into the 127 characters that the wallet takes, in those that it takes of a refund', () => {
    expect(releasedMark(customId).length).toBeLessThanOrEqual(127);
    expect(ofRefund).toMatch(/^[A-Za-z0-9-_.,]{1,127}$/);
    expect(refundCustomId(making, operation, 'A'.repeat(36)).length).toBeLessThanOrEqual(127);
  });

  it('a notice keeps them', () => {
    const resource = { id: 'C1', invoice_id: payment, custom_id: customId };
    const told = { id: 'WH-1', event_type: 'PAYMENT.CAPTURE.COMPLETED', resource_type: 'capture' };
    const event = { ...told, create_time: '2026-01-01T00:00:00Z', resource };
    expect(readEvent(event, { accountId: 'M1', livemode: false })?.kept).toMatchObject({
      isMarked: true,
      ...maker,
    });
  });
});
