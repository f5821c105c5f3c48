// Mail over real SMTP connections on this machine.

import { afterEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../test/network/self-signed.ts';
import { type SmtpServer, startSmtp } from '../../test/network/smtp.ts';
import { addressOf, connectionOf, openMail } from './mail.ts';

let server: SmtpServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const words = {
  id: '0198c0de-0000-7000-8000-000000000001',
  to: 'grace@example.test',
  subject: 'Join Café Süd on Svc',
  text: 'Open this link:\n\nhttps://pay.example/account/invitation#abc\n.\nÄußerst kurz\n',
};
const from = 'Svc Payments <pay@shop.example>';
const startPlainSmtp = async (options: Parameters<typeof startSmtp>[0] = {}) => {
  server = await startSmtp(options);
  return server;
};

describe('openMail', () => {
  it('hands over one plain text to one address, with the sender and a steady Message-ID', async () => {
    const { port, received } = await startPlainSmtp();
    const mail = openMail({ url: `smtp://127.0.0.1:${port}`, from });
    expect(await mail.send(words)).toEqual({ kind: 'sent' });
    expect(await mail.send(words)).toEqual({ kind: 'sent' });
    expect(received.map(({ from, to }) => [from, to])).toEqual(
      Array(2).fill(['pay@shop.example', ['grace@example.test']]),
    );
    const raw = received[0]!.raw;
    expect(raw).toMatch(/^From: Svc Payments <pay@shop\.example>$/m);
    expect(raw).toMatch(/^To: (?:<)?grace@example\.test>?$/m);
    expect(raw).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m);
    expect(raw).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(raw).not.toMatch(/multipart|text\/html/);
    const id = /^Message-ID: (.*)$/m.exec(raw)?.[1];
    expect(id).toBe(`<${words.id}@shop.example>`);
    expect(received[1]!.raw).toContain(`Message-ID: ${id}`);
    expect(decodeMail(raw)).toContain(
      'https://pay.example/account/invitation#abc\n.\nÄußerst kurz',
    );
  });

  it.each([
    ['two addresses', 'grace@example.test, eve@example.test'],
    ['another header', 'grace@example.test\r\nBcc: eve@example.test'],
    ['a parameter', 'grace@example.test> NOTIFY=NEVER'],
  ])('an address that hides %s reaches nobody', async (_what, to) => {
    const { port, received } = await startPlainSmtp();
    const end = await openMail({ url: `smtp://127.0.0.1:${port}`, from }).send({ ...words, to });
    expect(end).toEqual({ kind: 'refused', error: 'address_unusable' });
    expect(received).toEqual([]);
  });

  it('signs in with what the address carries, percent-encoded', async () => {
    const login = { user: 'post@shop', password: 'p/ss:w@rd' };
    const { port, received } = await startPlainSmtp({ login });
    const credentials = `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}`;
    const url = (user: string) => `smtp://${user}@127.0.0.1:${port}`;
    expect(await openMail({ url: url(credentials), from }).send(words)).toEqual({ kind: 'sent' });
    expect(received[0]?.user).toBe('post@shop');
    const wrong = await openMail({ url: url('post%40shop:Canary-77'), from }).send(words);
    expect(wrong).toMatchObject({ kind: 'failed', error: expect.stringContaining('EAUTH') });
    expect(JSON.stringify(wrong)).not.toContain('Canary-77');
  });

  it.each([
    ['RCPT', '550 no such mailbox', 'refused'],
    ['DATA', '554 not wanted', 'refused'],
    ['RCPT', '451 greylisted', 'failed'],
    ['MAIL', '421 busy', 'failed'],
    // Refusals of the sender: the operator must correct the settings, whoever the recipient is.
    ['MAIL', '553 not your sender', 'failed'],
    ['MAIL', '530 sign in first', 'failed'],
    ['RCPT', '554 5.7.1 relay access denied', 'failed'],
    ['RCPT', '550 5.1.8 your sender', 'failed'],
    ['DATA', '550 5.7.60 not your sender', 'failed'],
    ['RCPT', '550 5.1.1 no such mailbox', 'refused'],
    ['DATA', 'hang up', 'failed'],
  ] as const)('%s answered %s: %s, and only a code is kept', async (verb, answer, kind) => {
    const smtp = await startPlainSmtp();
    smtp.fail(verb, `${answer}`);
    const end = await openMail({ url: `smtp://127.0.0.1:${smtp.port}`, from }).send(words);
    expect(end.kind).toBe(kind);
    expect(JSON.stringify(end)).not.toMatch(
      /mailbox|wanted|greylisted|busy|sender|first|grace|relay/,
    );
  });

  it('nobody there: failed', async () => {
    const end = await openMail({ url: 'smtp://127.0.0.1:1', from }).send(words);
    expect(end).toMatchObject({ kind: 'failed' });
  });

  it('smtps: TLS from the start, and a certificate of nobody known is refused', async () => {
    const { key, cert } = selfSigned('localhost');
    const { port, received } = await startPlainSmtp({ tls: { key, cert } });
    const url = `smtps://localhost:${port}`;
    expect(await openMail({ url, from }).send(words)).toMatchObject({ kind: 'failed' });
    expect(received).toEqual([]);
    expect(await openMail({ url, from, ca: cert }).send(words)).toEqual({ kind: 'sent' });
    expect(received[0]).toMatchObject({ isSecure: true });
  });
});

describe('connectionOf', () => {
  it.each([
    ['smtp://mail.example', { port: 587, secure: false, requireTLS: true }],
    ['smtp://mail.example:25', { port: 25, secure: false, requireTLS: true }],
    ['smtps://mail.example', { port: 465, secure: true }],
    ['smtp://127.0.0.1:1025', { port: 1025, secure: false, requireTLS: false }],
    ['smtp://[::1]:1025', { host: '::1', requireTLS: false }],
    ['smtp://127.0.0.1.example:25', { requireTLS: true }],
  ])('%s: in the clear on this machine only', (url, expected) => {
    expect(connectionOf({ url })).toMatchObject(expected);
  });

  it('a server that offers no STARTTLS gets no mail over a network', async () => {
    const { port, received } = await startPlainSmtp();
    const { createTransport } = await import('nodemailer');
    const asked = connectionOf({ url: `smtp://mail.example:${port}` });
    const transport = createTransport({ ...asked, host: '127.0.0.1' });
    await expect(transport.sendMail({ from, to: words.to, text: 'x' })).rejects.toThrow();
    expect(received).toEqual([]);
  });
});

describe('addressOf', () => {
  it.each([
    ['pay@shop.example', 'pay@shop.example'],
    ['Shop <pay@shop.example>', 'pay@shop.example'],
    ['<pay@shop.example>', 'pay@shop.example'],
  ])('%s', (text, address) => {
    expect(addressOf(text)).toBe(address);
  });
});

/** Returns the text of a mail in either of the two encodings. */
function decodeMail(raw: string): string {
  const [head = '', ...rest] = raw.split('\n\n');
  const body = rest.join('\n\n');
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString();
  const bytes = body
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, 'latin1').toString();
}
