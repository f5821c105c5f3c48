// A merchant's page for browser tests: on an origin of its own it embeds the card form, sends the
// handshake, and stores every message that the form sends.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type PageOptions = {
  readonly formUrl: string;
  readonly mountToken: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly protocol?: number;
  readonly style?: string;
  /** The page waits for a call of `shakeHands()`. */
  readonly isSilent?: boolean;
};

const script = (page: PageOptions) => `
const facts = ${JSON.stringify(page)};
const frame = document.querySelector('iframe');
window.messages = [];
const channel = new MessageChannel();
window.port = channel.port1;
port.onmessage = ({ data }) => {
  messages.push(data);
  if (data.type === 'height') frame.style.height = data.px + 'px';
};
window.shakeHands = () => {
  frame.contentWindow.postMessage({ svc: 'mount', protocol: facts.protocol ?? 1 },
    new URL(facts.formUrl).origin, [channel.port2]);
  port.postMessage({ type: 'mount', mountToken: facts.mountToken, options: facts.options ?? {} });
};
if (!facts.isSilent) frame.addEventListener('load', shakeHands, { once: true });
frame.src = facts.formUrl;
`;

const html = (page: PageOptions) => `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>Shop</title>
<style>body{font:16px system-ui;margin:24px}iframe{display:block;width:100%;height:180px;border:0;color-scheme:normal}
${page.style ?? ''}</style>
<button id="before">Before</button><iframe title="Card" allow="payment; autofill"></iframe>
<iframe id="next" title="Next" srcdoc="<input id=inner aria-label=Inner>"></iframe>
<button id="after">After</button><script>${script(page)}</script></html>`;

export type MerchantSite = {
  /** The origin as a browser sees it: `localhost`, another site than the vault's 127.0.0.1. */
  readonly origin: string;
  /** Returns the address of a page that embeds the form with these options. */
  page(options: PageOptions): string;
  /** Serves the same under another name of this machine. */
  on(host: string): Promise<Pick<MerchantSite, 'page'>>;
  close(): Promise<void>;
};

/** Serves pages on a free loopback port. */
export async function startMerchantSite(): Promise<MerchantSite> {
  const pages: PageOptions[] = [];
  const servers: Server[] = [];
  const listen = async (address: string) => {
    const server = createServer((request, response) => {
      const page = pages[Number(/^\/(\d+)$/.exec(request.url ?? '')?.[1])];
      response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
      response.end(page ? html(page) : '');
    });
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  const pagesOf = (host: string, port: number) => {
    const origin = `http://${host}:${port}`;
    return { origin, page: (options: PageOptions) => `${origin}/${pages.push(options) - 1}` };
  };
  return {
    ...pagesOf('localhost', await listen('127.0.0.1')),
    on: async (host) => {
      const address = /^\d/.test(host) ? host : '127.0.0.1';
      return pagesOf(host, await listen(host === '[::1]' ? '::1' : address));
    },
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
