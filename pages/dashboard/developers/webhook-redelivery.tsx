// Sends all events of a span of time again, after an outage. A disabled endpoint is enabled first.

import type { WebhookEndpoint } from '@svc/contract/webhook-endpoints';
import { useId, useState } from 'preact/hooks';
import { CallFailure } from '../../kit/calls.ts';
import type { Section } from '../../kit/home-section.ts';
import { Cancel, Select } from '../../kit/parts/home-parts.tsx';
import { type Fields, Form } from '../../kit/parts/parts.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import type { WebhookCalls } from './webhook-calls.ts';

type RedeliveryProps = {
  readonly section: Section<WebhookEndpoint>;
  readonly endpoint: WebhookEndpoint;
  readonly calls: WebhookCalls;
  readonly onSent: () => void;
};

export function Redelivery({ section, endpoint, calls, onSent }: RedeliveryProps) {
  const [isOpen, open] = useState(false);
  const { id, isEnabled } = endpoint;
  const send = async (fields: Fields) => {
    const status: 'failed' | 'all' = fields('status') === 'all' ? 'all' : 'failed';
    const wish = { since: instantIn(fields('since')), status };
    // Shown separately: when the second call fails, the first one still counts.
    if (!isEnabled) {
      await section.make('redeliver', () => calls.updateEndpoint(id, { isEnabled: true }));
    }
    const queued = await section.make('redeliver', () => calls.redeliver(id, wish));
    open(false);
    section.news.value = { text: sentWords(queued) };
    onSent();
  };
  if (!isOpen)
    return (
      <button type="button" class="quiet" onClick={() => open(true)}>
        {isEnabled ? 'Redeliver all failed since …' : 'Enable and redeliver all failed since …'}
      </button>
    );
  return (
    <div class="block-part">
      <h3>After an outage</h3>
      {!isEnabled && <p class="fine">The endpoint is enabled first.</p>}
      <Form
        submit={isEnabled ? 'Redeliver' : 'Enable and redeliver'}
        kind="second main"
        send={send}
        after={<Cancel onCancel={() => open(false)} />}
      >
        <SinceField from={endpoint.failingSince} />
        <Select
          label="Which"
          name="status"
          value="failed"
          choices={{ failed: 'What was not delivered', all: 'All events' }}
          hint="Body and id stay the same, so a server that remembers ids does nothing twice."
        />
      </Form>
    </div>
  );
}

const sentWords = (queued: number): string => {
  if (queued === 0) return 'Nothing is to be sent again since then.';
  return queued === 1 ? '1 event is on its way again.' : `${queued} events are on their way again.`;
};

const dayMs = 86_400_000;

/**
 * Returns the beginning of the failures, or a day ago, in the format of the date field: this browser's
 * local time.
 */
function beginOfFailures(from: string | null): string {
  const at = from === null ? new Date(serviceTime() - dayMs) : new Date(from);
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
  const time = new Date(local);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new CallFailure(422, { message: 'Enter the day and the time.' });
}
