// Sends all events of a span of time again, after an outage. A disabled endpoint is enabled first.

import type { WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import { checkedDate } from '@svc/contract/values/instants';
import { useId, useState } from 'preact/hooks';
import { CallFailure, call } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { type Fields, Form } from '../../kit/parts/form.tsx';
import { Cancel, Select } from '../../kit/parts/inputs.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import type { AnswerFor, InputFor } from '../../kit/rows.ts';
import type { Section } from '../../kit/section.ts';

type RedeliveryProps = {
  readonly section: Section<WebhookEndpoint>;
  readonly endpoint: WebhookEndpoint;
  readonly onSent: () => void;
};

export function Redelivery({ section, endpoint, onSent }: RedeliveryProps) {
  const { clientId } = useMerchant();
  const [isOpen, setOpen] = useState(false);
  const { id, isEnabled } = endpoint;
  const send = async (fields: Fields) => {
    const status: Wish['status'] = fields('status') === 'all' ? 'all' : 'failed';
    const wish = { id, since: instantIn(fields('since')), status };
    // Shown separately: when the second call fails, the first one still counts.
    if (!isEnabled) {
      const body = { isEnabled: true };
      await section.make('redeliver', () =>
        call('PATCH /v1/webhook-endpoints/{id}', { id, body }, { clientId }),
      );
    }
    const queued = await section.make('redeliver', () => redeliver(clientId, wish));
    setOpen(false);
    section.news.value = { text: sentWords(queued) };
    onSent();
  };
  if (!isOpen)
    return (
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        {isEnabled ? 'Redeliver all failed since …' : 'Enable and redeliver all failed since …'}
      </button>
    );
  return (
    <div class="block-part">
      <p>
        <strong>After an outage</strong>
      </p>
      {!isEnabled && <p class="fine">The endpoint is enabled first.</p>}
      <Form
        submit={isEnabled ? 'Redeliver' : 'Enable and redeliver'}
        kind="second main"
        send={send}
        after={<Cancel onCancel={() => setOpen(false)} />}
      >
        <SinceField from={endpoint.failingSince} />
        <Select
          label="Which"
          name="status"
          value="failed"
          choices={{ failed: 'Undelivered events', all: 'All events' }}
          hint="Body and id stay the same, so a server that remembers ids handles each event once."
        />
      </Form>
    </div>
  );
}

const row = 'POST /v1/webhook-endpoints/{id}/redeliver';
type Wish = { readonly id: string } & Required<
  Pick<InputFor<typeof row>['body'], 'since' | 'status'>
>;

/**
 * Queues deliveries until everything up to now is in the queue, and returns how many. The service decides
 * what now is: a sandbox's clock may be ahead of this browser's.
 */
async function redeliver(clientId: string, { id, since, status }: Wish): Promise<number> {
  let queued = 0;
  let from: string | null = since;
  while (from) {
    const body: InputFor<typeof row>['body'] = { since: from, status };
    const made: AnswerFor<typeof row> = await call(row, { id, body }, { clientId });
    queued += made.deliveries;
    from = made.continueFrom;
  }
  return queued;
}

const sentWords = (queued: number): string => {
  if (queued === 0) return 'No failed delivery since then.';
  return queued === 1 ? '1 event is on its way again.' : `${queued} events are on their way again.`;
};

const dayMs = 86_400_000;

/**
 * Returns the beginning of the failures, or a day ago, in the format of the date field: this browser's
 * local time.
 */
function beginOfFailures(from: string | null): string {
  const at = from === null ? new Date(serviceTime() - dayMs) : checkedDate(from);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function SinceField({ from }: { from: string | null }) {
  const id = useId();
  const [first] = useState(() => beginOfFailures(from));
  return (
    <div class="field">
      <label for={id}>Events since</label>
      <input id={id} name="since" type="datetime-local" defaultValue={first} required />
    </div>
  );
}

function instantIn(local: string): string {
  // biome-ignore lint/plugin: the field gives a local time, which only Date can place in this zone
  const time = new Date(local);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new CallFailure(422, { message: 'Enter the day and the time.' });
}
