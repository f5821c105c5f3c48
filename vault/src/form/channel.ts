// The private channel to the page that embeds the form: one handshake from the parent window and an allowed
// origin, then messages only over its port. Contract §4.

import { isListedOrigin } from '@svc/contract/servers/origins';
import type {
  FormHandshake,
  FromForm,
  LoadErrorReason,
  ToForm,
} from '@svc/contract/vault/form-messages';
import { parseHandshake, parseMessage } from './incoming.ts';
import { parentsOf } from './parents.ts';

export type Send = (message: FromForm) => void;

export type Channel = {
  /** Called once, after the page's handshake. Returns the function that receives the page's messages. */
  readonly onOpen: (send: Send) => (message: ToForm) => void;
  /** Set when this document must not become a form: every handshake is refused with this reason. */
  readonly refusal: LoadErrorReason | undefined;
};

const protocol: FormHandshake['protocol'] = 1;

function openPort(port: MessagePort, handshake: FormHandshake, channel: Channel): void {
  const send: Send = (message) => port.postMessage(message);
  const refusal =
    channel.refusal ?? (handshake.protocol === protocol ? undefined : 'version_mismatch');
  if (refusal) {
    send({ type: 'loaderror', reason: refusal });
    return;
  }
  const receive = channel.onOpen(send);
  port.onmessage = (event: MessageEvent<unknown>) => {
    const message = parseMessage(event.data);
    if (message) receive(message);
    else send({ type: 'warning', message: 'A message of an unknown shape was ignored.' });
  };
}

/** Waits for the page's handshake. Only the first valid one counts; every other message is ignored. */
export function listen(channel: Channel): void {
  const parents = parentsOf(location.search);
  const accept = (event: MessageEvent<unknown>) => {
    if (event.source === null || event.source !== window.parent || window.parent === window) return;
    if (!isListedOrigin(event.origin, parents)) return;
    const handshake = parseHandshake(event.data);
    const [port] = event.ports;
    if (!handshake || !port || event.ports.length !== 1) return;
    window.removeEventListener('message', accept);
    openPort(port, handshake, channel);
  };
  window.addEventListener('message', accept);
}
