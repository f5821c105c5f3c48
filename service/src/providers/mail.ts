// Sends mails over SMTP, as plain text. Nothing in them is fetched or tracked.

import { isLoopbackHost } from '@svc/contract/servers/loopback';
import { isPlainAddress } from '../domain/people/mail.ts';
import type { Mail, MailAnswer } from '../engine/ports.ts';

export type MailSettings = {
  /** smtp: with STARTTLS, which only a server on this machine may lack; smtps: TLS from the start. */
  readonly url: string;
  /** The sender, as `Shop <pay@shop.example>` or the address alone. */
  readonly from: string;
  /** The certificate authority of a TLS server that no public authority has signed. */
  readonly ca?: string;
};

const timeouts = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
} as const;

/** Returns the connection settings: mail is never sent in clear text over a network. */
export function connectionOf({ url, ca }: Pick<MailSettings, 'url' | 'ca'>) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    requireTLS: !isSecure && !isLoopbackHost(host),
    ...(username
      ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }
      : {}),
    ...(ca ? { tls: { ca } } : {}),
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Returns a sender's address without the name. */
export const addressOf = (from: string): string => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim();

/** Connects and loads the library only with the first mail. */
export function openMail(settings: MailSettings): Mail {
  const connection = connectionOf(settings);
  const sender = addressOf(settings.from);
  const domain = sender.slice(sender.lastIndexOf('@') + 1);
  const name = settings.from.slice(0, settings.from.lastIndexOf('<')).trim().replace(/^"|"$/g, '');
  return {
    async send({ id, to, subject, text }) {
      // The library would parse lists and groups in an address.
      if (!isPlainAddress(to)) return { kind: 'refused', error: 'address_unusable' };
      try {
        const { createTransport } = await import('nodemailer');
        await createTransport(connection).sendMail({
          from: { name, address: sender },
          to: { name: '', address: to },
          envelope: { from: sender, to: [to] },
          // A mail that is sent twice after a crash has the same id.
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
          subject,
          text,
        });
        return { kind: 'sent' };
      } catch (error) {
        return translate(error);
      }
    },

    async check() {
      const { createTransport } = await import('nodemailer');
      const transport = createTransport(connection);
      try {
        await transport.verify();
        return null;
      } catch (error) {
        return codesOf(error as SmtpError);
      } finally {
        transport.close();
      }
    },
  };
}

type SmtpError = {
  readonly code?: string;
  readonly responseCode?: number;
  readonly command?: string;
  readonly response?: string;
};

/** RFC 3463 status codes that mean: the sender is not accepted, or the service may not send. */
const senderRefusals = /^5\.(7\.\d+|1\.[78])$/;

const statusOf = ({ response }: SmtpError): string | undefined =>
  /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})(?!\S)/.exec(response ?? '')?.[1];

/** The server's message may quote the mail, so only codes are kept. */
const codesOf = (error: SmtpError): string =>
  [error.code ?? 'unknown', error.responseCode, statusOf(error)]
    .filter(Boolean)
    .join(' ')
    .slice(0, 100);

function translate(error: unknown): MailAnswer {
  const { code, responseCode, command } = error as SmtpError;
  const status = statusOf(error as SmtpError);
  const word = codesOf(error as SmtpError);
  // RFC 5321 §4.2.1: 5yz for this recipient or message is permanent. A wrong password can be
  // corrected here, and so can a sender that the server does not accept, or accepts only from known
  // clients: many servers report that only at the recipient.
  const isOfMail = (code === 'EENVELOPE' || code === 'EMESSAGE') && command !== 'MAIL FROM';
  const isFinal = (responseCode ?? 0) >= 500 && isOfMail && !senderRefusals.test(status ?? '');
  return isFinal ? { kind: 'refused', error: word } : { kind: 'failed', error: word };
}
