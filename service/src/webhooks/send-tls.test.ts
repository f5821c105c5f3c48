import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../test/network/self-signed.ts';
import { aReceiver, loopback } from '../../test/webhooks/webhooks.ts';
import { newWebhookSecret } from '../domain/protocol/webhook-secret.ts';
import { type WebhookSettings, webhookSender } from './send.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function send(url: string, settings: Partial<WebhookSettings> = {}) {
  const sender = webhookSender({ allow: loopback, connectMs: 2000, totalMs: 3000, ...settings });
  const secrets = [newWebhookSecret(Buffer.alloc(32, 3))];
  return sender({ url, body: '{}', eventId: 'evt_1', secrets, now: new Date() });
}

describe('a delivery over TLS', () => {
  async function secureReceiver(certificate = selfSigned('shop.example'), options = {}) {
    const paths: string[] = [];
    const server = https.createServer({ ...certificate, ...options }, (request, response) => {
      paths.push(`${request.headers.host} ${(request.socket as tls.TLSSocket).getProtocol()}`);
      response.end('ok');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    return { port: (server.address() as AddressInfo).port, paths, certificate };
  }

  const resolve = async () => ['127.0.0.1'];

  function trustCertificate(cert: string) {
    const before = tls.getCACertificates('default');
    tls.setDefaultCACertificates([...before, cert]);
    closers.push(() => tls.setDefaultCACertificates(before));
  }

  it('a trusted certificate for the name: delivered, with the name in SNI and Host', async () => {
    const { port, paths, certificate } = await secureReceiver();
    trustCertificate(certificate.cert);
    const answer = await send(`https://shop.example:${port}/`, { resolve });
    expect(answer).toMatchObject({ status: 200, error: null });
    expect(paths).toEqual([`shop.example:${port} TLSv1.3`]);
  });

  it('TLS 1.2 is new enough', async () => {
    const { port, paths, certificate } = await secureReceiver(undefined, { maxVersion: 'TLSv1.2' });
    trustCertificate(certificate.cert);
    expect(await send(`https://shop.example:${port}/`, { resolve })).toMatchObject({ status: 200 });
    expect(paths).toEqual([`shop.example:${port} TLSv1.2`]);
  });

  // One trusted certificate per test: two of one subject would be refused for being confused.
  const refused = { status: null, error: 'tls_error' };

  it('tls_error: unknown issuer', async () => {
    const { port, paths } = await secureReceiver();
    expect(await send(`https://shop.example:${port}/`, { resolve })).toMatchObject(refused);
    expect(paths).toEqual([]);
  });

  it('tls_error: a trusted certificate for another name', async () => {
    const { port, paths, certificate } = await secureReceiver();
    trustCertificate(certificate.cert);
    expect(await send(`https://bank.example:${port}/`, { resolve })).toMatchObject(refused);
    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject(refused);
    expect(paths).toEqual([]);
  });

  it('tls_error: expired', async () => {
    const minuteAgo = new Date(Date.now() - 60_000);
    const { port, paths, certificate } = await secureReceiver(
      selfSigned('shop.example', minuteAgo),
    );
    trustCertificate(certificate.cert);
    expect(await send(`https://shop.example:${port}/`, { resolve })).toMatchObject(refused);
    expect(paths).toEqual([]);
  });

  it('tls_error: TLS 1.1', async () => {
    const { port, paths, certificate } = await secureReceiver(undefined, {
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    trustCertificate(certificate.cert);
    expect(await send(`https://shop.example:${port}/`, { resolve })).toMatchObject(refused);
    expect(paths).toEqual([]);
  });

  it('tls_error: no TLS at all', async () => {
    const plain = await aReceiver();
    closers.push(plain.close);
    expect(await send(`https://shop.example:${plain.port}/`, { resolve })).toMatchObject(refused);
    expect(plain.received).toEqual([]);
  });
});
