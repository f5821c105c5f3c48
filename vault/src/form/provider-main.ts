// The document of the driver `provider-fields`: our form with the provider's hosted fields. Contract §4.
import type { StripeConstructor } from '@stripe/stripe-js';
import type { LoadErrorReason } from '@svc/contract/form-messages';
import { ProviderForm } from './provider-form.ts';
import { loadProviderScript } from './provider-script.ts';
import { type OpenForm, startSession } from './session.ts';
import * as view from './view.ts';

type Opened = Parameters<OpenForm>[0];

/** Shorter than the time after which the page around the form reports a load error. */
const slowAfterMs = 6_000;

/** Returns the publishable key among the claims of a mount token; empty when the token is invalid. */
function publishableKeyOf(mountToken: string): string {
  try {
    const [claims = ''] = mountToken.replace(/^svcm_/, '').split('.');
    const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'));
    const { publishableKey } = JSON.parse(text) as { publishableKey?: unknown };
    return typeof publishableKey === 'string' ? publishableKey : '';
  } catch {
    return '';
  }
}

/** Library and handshake may come in either order. A form that is ready late still works. */
class Start {
  #construct: StripeConstructor | undefined;
  #opened: Opened | undefined;
  #trouble: LoadErrorReason | undefined;
  readonly #timer = setTimeout(() => this.fail('provider_too_slow'), slowAfterMs);

  loaded(construct: StripeConstructor): void {
    this.#construct = construct;
    this.#trouble = undefined;
    this.#open();
  }

  opened(opened: Opened): void {
    this.#opened = opened;
    if (this.#trouble) this.fail(this.#trouble);
    this.#open();
  }

  fail(reason: LoadErrorReason): void {
    if (reason !== 'provider_too_slow') clearTimeout(this.#timer);
    this.#trouble = reason;
    this.#opened?.send({ type: 'loaderror', reason });
  }

  #open(): void {
    if (this.#construct && this.#opened) void this.#show(this.#construct, this.#opened);
  }

  async #show(construct: StripeConstructor, opened: Opened): Promise<void> {
    const { options, mountToken, send, done } = opened;
    const key = publishableKeyOf(mountToken);
    // The page then reads its session again to get a new token.
    if (key === '') return this.fail('session_expired');
    const form = new ProviderForm(options, send, construct(key));
    view.prepare();
    await form.mount((reason) => this.fail(reason));
    clearTimeout(this.#timer);
    done(form);
  }
}

if (document.documentElement.dataset.refusal === undefined) {
  const start = new Start();
  loadProviderScript({
    onLoad: (construct) => start.loaded(construct),
    onError: () => start.fail('provider_unreachable'),
  });
  startSession((opened) => start.opened(opened));
} else {
  startSession(() => undefined);
}
