// The merchant's webhook endpoint, and how it verifies a delivery.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Direction } from './stopping-proxy.ts';

export type ReceivedEvent = {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly paymentId: string | null;
};

/** Verifies signatures with its own code, which follows the text of Contract §7. */
export async function openReceiver(
  record: (side: Direction, bytes: Buffer, connection: number) => void,
) {
  const received: ReceivedEvent[] = [];
  let forged = 0;
  let secret = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const head = Buffer.from(`${request.url}\n${request.rawHeaders.join('\n')}\n\n`);
      record('requests', Buffer.concat([head, body]), received.length);
      const header = String(request.headers['svc-signature'] ?? '');
      if (isSigned(body, header, secret)) received.push(describe(body.toString('utf8')));
      else forged += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    forged: () => forged,
    trust: (given: string) => {
      secret = given;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function isSigned(body: Buffer, header: string, secret: string): boolean {
  const [, time = ''] = /(?:^|,)t=(\d+)/.exec(header) ?? [];
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return [...header.matchAll(/v1=([0-9a-f]{64})/g)].some(([, hex = '']) =>
    timingSafeEqual(Buffer.from(hex, 'hex'), expected),
  );
}

function describe(body: string): ReceivedEvent {
  const event = JSON.parse(body) as {
    id: string;
    type: string;
    data: { object: { id?: string; paymentId?: string } };
  };
  const { paymentId, id } = event.data.object;
  return { id: event.id, type: event.type, body, paymentId: paymentId ?? id ?? null };
}
