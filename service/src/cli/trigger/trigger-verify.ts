// `svc trigger --verify`: checks that a handler accepts valid signatures, and nothing else.
// Contract §7, Signature.

import { randomBytes, randomUUID } from 'node:crypto';
import type { Event } from '@svc/contract/events/events';
import { apiVersion } from '@svc/contract/rows/versions';
import { newWebhookSecret } from '../../domain/protocol/webhook-secret.ts';
import type { WebhookAnswer } from '../../engine/ports.ts';
import { CommandError, type Surroundings } from '../line/command.ts';
import { answeredLine } from '../merchant/event-lines.ts';

type Check = {
  readonly sends: string;
  readonly secrets: readonly string[];
  readonly ageMs: number;
  readonly isGood: boolean;
};

const tooOldMs = 600_000;

const checksWith = (secret: string): readonly Check[] => [
  { sends: 'a well-signed event', secrets: [secret], ageMs: 0, isGood: true },
  {
    sends: 'a signature by another secret',
    secrets: [newWebhookSecret(randomBytes(32))],
    ageMs: 0,
    isGood: false,
  },
  { sends: 'no signature', secrets: [], ageMs: 0, isGood: false },
  { sends: 'a signature ten minutes old', secrets: [secret], ageMs: tooOldMs, isGood: false },
];

/** Prints a line for each check; returns the exit code. */
export async function verifyHandler(
  { url, secret }: { readonly url: string; readonly secret: string },
  around: Pick<Surroundings, 'out' | 'sendWebhook'>,
): Promise<number> {
  let wrong = 0;
  for (const { sends, secrets, ageMs, isGood } of checksWith(secret)) {
    const event = aTestEvent(url);
    const answer = await around.sendWebhook({
      url,
      body: JSON.stringify(event),
      eventId: event.id,
      secrets,
      now: new Date(Date.now() - ageMs),
    });
    const isRight = isGood ? answer.error === null : isRefusal(answer);
    if (!isRight) wrong += 1;
    const wanted = isGood ? 'must be taken (2xx)' : 'must be refused (4xx)';
    around.out.write(
      `${isRight ? 'ok   ' : 'WRONG'}  ${sends.padEnd(32)}${describe(answer)}, ${wanted}\n`,
    );
    if (answer.error !== null) around.out.write(answeredLine(answer.excerpt, 7));
  }
  return wrong === 0 ? 0 : 1;
}

/** A failure of the handler is no refusal, because the sender retries; a redirect shows nothing. */
const isRefusal = ({ status }: WebhookAnswer): boolean =>
  status !== null && status >= 400 && status < 500;

function describe({ status, error }: WebhookAnswer): string {
  if (error === 'connection_refused') throw new CommandError('nobody listens there');
  if (error === 'url_refused' || error === 'address_refused') {
    throw new CommandError('webhooks are sent to no such address: see the guide, Where they go');
  }
  return status === null ? `no answer: ${error}` : String(status);
}

/** Returns an event like that of a test send, with the id of an endpoint that does not exist. */
function aTestEvent(url: string): Event {
  const now = new Date();
  const endpointId = randomUUID();
  return {
    id: `evt_${randomUUID().replaceAll('-', '')}`,
    object: 'event',
    type: 'webhook_endpoint.test',
    created: Math.floor(now.getTime() / 1000),
    timestamp: now.toISOString(),
    apiVersion,
    clientId: randomUUID(),
    livemode: false,
    sequence: 1,
    resource: { type: 'webhook_endpoint', id: endpointId, version: 1 },
    request: null,
    data: { object: { id: endpointId, url } },
  };
}
