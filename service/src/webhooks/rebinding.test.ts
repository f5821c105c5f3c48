// Names that resolve to changing addresses, over the wire. 127.0.0.1 represents a permitted
// address, 127.0.0.2 and private addresses are forbidden ones.
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Answers,
  aNameServer,
  type NameRecord,
  type NameServer,
} from '../../test/network/name-server.ts';
import { aReceiver, type Receiver } from '../../test/webhooks/webhooks.ts';
import { newWebhookSecret } from '../domain/protocol/webhook-secret.ts';
import { webhookUrlJudge } from './judge-url.ts';
import { type WebhookSettings, webhookSender } from './send.ts';
import { resolveName } from './target.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const addressRecord = (address: string): NameRecord => ({ type: 'A', address });
const ipv6Record = (address: string): NameRecord => ({ type: 'AAAA', address });

async function openFixture(answers: Answers, given: Partial<WebhookSettings> = {}) {
  const names = await aNameServer(answers);
  const good = await aReceiver();
  const inside = await aReceiver(undefined, '127.0.0.2');
  closers.push(names.close, good.close, inside.close);
  const settings: WebhookSettings = {
    allow: ['127.0.0.1/32'],
    resolve: (hostname) => resolveName(hostname, [names.address]),
    connectMs: 2000,
    totalMs: 3000,
    ...given,
  };
  const sender = webhookSender(settings);
  const sendTo = (to: Receiver, connection?: string) =>
    sender({
      url: `http://hook.example:${to.port}/`,
      body: '{}',
      eventId: 'evt_1',
      secrets: [newWebhookSecret(Buffer.alloc(32, 3))],
      now: new Date(),
      ...(connection ? { connection } : {}),
    });
  return { names, good, inside, send: sendTo, judge: webhookUrlJudge(settings) };
}

const listQuestions = ({ questions }: NameServer, type: 'A' | 'AAAA') =>
  questions.filter((question) => question.type === type).length;

/** A name with these addresses, whatever is asked. */
const answerAlways =
  (...records: NameRecord[]): Answers =>
  ({ type }) =>
    records.filter((one) => one.type === type || one.type === 'CNAME');

describe('a name server that rebinds', () => {
  it('allowed at first, inside the next time (TTL 0): the second attempt is refused', async () => {
    const { good, inside, send } = await openFixture(({ type }, nth) =>
      type === 'AAAA' ? [] : [addressRecord(nth === 0 ? '127.0.0.1' : '127.0.0.2')],
    );
    expect(await send(good)).toMatchObject({ status: 200 });
    expect(await send(inside)).toMatchObject({ status: null, error: 'address_refused' });
    expect(good.received).toHaveLength(1);
    expect(inside.received).toHaveLength(0);
  });

  it('is asked once in an attempt: there is no second answer to connect to', async () => {
    const { names, good, send } = await openFixture(({ type }, nth) =>
      type === 'AAAA' ? [] : [addressRecord(nth === 0 ? '127.0.0.1' : '127.0.0.2')],
    );
    await send(good);
    expect([listQuestions(names, 'A'), listQuestions(names, 'AAAA')]).toEqual([1, 1]);
  });

  it('a kept connection stays with the address that was judged; a new one is judged anew', async () => {
    const { names, good, send } = await openFixture(({ type }, nth) =>
      type === 'AAAA' ? [] : [addressRecord(nth === 0 ? '127.0.0.1' : '127.0.0.2')],
    );
    expect(await send(good, 'one')).toMatchObject({ status: 200 });
    expect(await send(good, 'one')).toMatchObject({ status: 200 });
    expect(listQuestions(names, 'A')).toBe(1);
    expect(await send(good, 'other')).toMatchObject({ error: 'address_refused' });
    expect(listQuestions(names, 'A')).toBe(2);
  });

  it.each<[string, NameRecord[]]>([
    ['two addresses, one of them inside', [addressRecord('127.0.0.1'), addressRecord('127.0.0.2')]],
    ['the other order', [addressRecord('127.0.0.2'), addressRecord('127.0.0.1')]],
    ['A fine, AAAA unique local', [addressRecord('127.0.0.1'), ipv6Record('fd00::1')]],
    ['A fine, AAAA loopback', [addressRecord('127.0.0.1'), ipv6Record('::1')]],
    ['A fine, AAAA a mapped private one', [addressRecord('127.0.0.1'), ipv6Record('::ffff:a00:1')]],
    ['A fine, AAAA link-local', [addressRecord('127.0.0.1'), ipv6Record('fe80::1')]],
    [
      'an alias of a name inside',
      [{ type: 'CNAME', name: 'vault.internal' }, addressRecord('10.0.0.5')],
    ],
    [
      'an alias of the metadata service',
      [{ type: 'CNAME', name: 'meta.internal' }, addressRecord('169.254.169.254')],
    ],
    ['0.0.0.0', [addressRecord('0.0.0.0')]],
  ])('%s: refused without a connection, at create too', async (_, records) => {
    const { good, inside, send, judge } = await openFixture(answerAlways(...records));
    expect(await send(good)).toMatchObject({ status: null, error: 'address_refused' });
    expect(await judge(`http://hook.example:${good.port}/`)).toBe('address_refused');
    expect(good.received.length + inside.received.length).toBe(0);
  });

  it('an alias of a good name is followed', async () => {
    const { good, send } = await openFixture(
      answerAlways({ type: 'CNAME', name: 'edge.example' }, addressRecord('127.0.0.1')),
    );
    expect(await send(good)).toMatchObject({ status: 200 });
  });

  it('one kind of answer fails, the other is good: delivered', async () => {
    const { good, send } = await openFixture(({ type }) =>
      type === 'AAAA' ? 'failure' : [addressRecord('127.0.0.1')],
    );
    expect(await send(good)).toMatchObject({ status: 200 });
  });

  it.each<['fails' | 'is silent', Answers]>([
    ['fails', () => 'failure'],
    ['is silent', () => null],
  ])(
    'the name server %s: at create no refusal of https, and one of plain http',
    async (_, answers) => {
      const { good, judge } = await openFixture(answers);
      const verdicts = ['https', 'http'].map((scheme) =>
        judge(`${scheme}://hook.example:${good.port}/`),
      );
      expect(await Promise.all(verdicts)).toEqual([null, 'url_refused']);
    },
  );

  it('dns_error: the name server fails', async () => {
    const { good, send } = await openFixture(() => 'failure');
    expect(await send(good)).toMatchObject({ status: null, error: 'dns_error' });
  });

  it('connect_timeout: the name server is silent', async () => {
    const { good, send } = await openFixture(() => null, { connectMs: 300 });
    expect(await send(good)).toMatchObject({ status: null, error: 'connect_timeout' });
  });

  it('a redirect to an address inside is not followed, and the name is asked for no other', async () => {
    const { names, inside, send } = await openFixture(answerAlways(addressRecord('127.0.0.1')));
    const target = await aReceiver((_, response) =>
      response.writeHead(307, { location: inside.url }).end(),
    );
    closers.push(target.close);
    expect(await send(target)).toMatchObject({ status: 307, error: 'redirect_refused' });
    expect(inside.received).toHaveLength(0);
    expect(new Set(names.questions.map(({ name }) => name))).toEqual(new Set(['hook.example']));
  });
});
