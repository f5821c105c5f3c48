// A small SMTP server (RFC 5321) that stores the mails that it receives, and can refuse them.

import { once } from 'node:events';
import net from 'node:net';
import { createInterface } from 'node:readline';
import tls from 'node:tls';

export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as sent, without the dot stuffing. */
  readonly raw: string;
  readonly user: string | null;
  readonly isSecure: boolean;
};

export type SmtpServer = {
  readonly port: number;
  readonly received: ReceivedMail[];
  /**
   * Answers the next commands of this kind with this line and does not execute them; 'hang up'
   * closes the connection.
   */
  fail(verb: 'MAIL' | 'RCPT' | 'DATA' | 'AUTH', answer: string, times?: number): void;
  close(): Promise<void>;
};

type Options = {
  /** Uses TLS from the first byte. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Required before any mail. */
  readonly login?: { readonly user: string; readonly password: string };
};

type Fault = { readonly verb: string; readonly answer: string; left: number };

export async function startSmtp(options: Options = {}): Promise<SmtpServer> {
  const received: ReceivedMail[] = [];
  const faults: Fault[] = [];
  const sockets = new Set<net.Socket>();
  const serve = (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    converse(socket, { ...options, received, faults });
  };
  const server = options.tls ? tls.createServer(options.tls, serve) : net.createServer(serve);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    received,
    fail: (verb, answer, times = 1) => void faults.push({ verb, answer, left: times }),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

type Fixture = Options & { readonly received: ReceivedMail[]; readonly faults: Fault[] };

function converse(socket: net.Socket, { login, tls: secure, received, faults }: Fixture): void {
  const sendLine = (line: string) => void (socket.writable && socket.write(`${line}\r\n`));
  let user: string | null = null;
  let draft = { from: '', to: [] as string[] };
  let body: string[] | null = null;
  sendLine('220 test ESMTP');
  createInterface({ input: socket }).on('line', (line) => {
    if (body) {
      if (line !== '.') return void body.push(line.replace(/^\./, ''));
      received.push({ ...draft, raw: body.join('\n'), user, isSecure: secure !== undefined });
      body = null;
      return sendLine('250 kept');
    }
    const verb = line.slice(0, 4).toUpperCase();
    const fault = faults.find((one) => one.verb === verb && one.left > 0);
    if (fault) {
      fault.left -= 1;
      return fault.answer === 'hang up' ? void socket.destroy() : sendLine(fault.answer);
    }
    const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
    if (verb === 'EHLO') return sendLine(login ? '250-test\r\n250 AUTH PLAIN' : '250 test');
    if (verb === 'AUTH') {
      const [, name, password] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
        .toString()
        .split('\0');
      const isRight = name === login?.user && password === login?.password;
      user = isRight ? (name ?? null) : null;
      return sendLine(isRight ? '235 welcome' : '535 wrong');
    }
    if (verb === 'QUIT') return void socket.end('221 bye\r\n');
    if (login && user === null) return sendLine('530 authentication required');
    if (verb === 'MAIL') draft = { from: address, to: [] };
    if (verb === 'RCPT') draft.to.push(address);
    if (verb !== 'DATA') return sendLine('250 ok');
    body = [];
    return sendLine('354 go on');
  });
}
