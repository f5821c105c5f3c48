// Faults in the delivery engine that the layer `deliveries` must detect.

import type { PlantedFault } from '../planting/planted-fault.ts';

const suite = 'proof/webhooks/deliveries.test.ts';
const deliver = 'service/src/engine/runs/webhook-deliveries/deliver-due.ts';
const send = 'service/src/engine/runs/webhook-deliveries/send-delivery.ts';
const queue = 'service/src/storage/webhooks/webhook-deliveries.ts';
const lists = 'service/src/storage/webhooks/event-lists.ts';

const sending = 'answer = await sendDelivery(';

export const deliveryFaults: readonly PlantedFault[] = [
  {
    name: 'delivery: marked as delivered before it is sent',
    changes: [
      {
        file: deliver,
        from: sending,
        to: `await recordDelivery(ports, claimed, { status: 200, error: null, excerpt: null,
      retryAfterSeconds: null, durationMs: 0, url: endpoint.url, startedAt: new Date() });
    ${sending}`,
      },
    ],
    suite,
    caughtBy: /E5: reach every endpoint/,
  },
  {
    name: 'delivery: the body is written anew for a later attempt',
    changes: [
      {
        file: send,
        from: 'body: claimed.body,',
        to: "body: claimed.attempt > 1 ? String(claimed.body).replace('{', '{ ') : claimed.body,",
      },
    ],
    suite,
    caughtBy: /E6, E10: carry the same bytes/,
  },
  {
    name: 'delivery: a later event of a resource does not wait',
    changes: [
      { file: queue, from: 'and earlier.sequence < d.sequence', to: 'and earlier.sequence < 0' },
    ],
    suite,
    caughtBy: /E7: keep the order/,
  },
  {
    name: 'delivery: a claim holds nothing',
    changes: [
      {
        file: queue,
        from: 'next_attempt_at = picked.now + $',
        to: 'next_attempt_at = picked.now + 0 * $',
      },
    ],
    suite,
    caughtBy: /E8, E9: are attempted by one worker/,
  },
  {
    name: 'events: the list shows what is younger than an open transaction',
    changes: [
      {
        file: lists,
        from: 'and e.created_at <',
        to: "and timestamptz '-infinity' <",
      },
    ],
    suite,
    caughtBy: /E12: what commits late/,
  },
];
