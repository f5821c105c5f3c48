// The document of the driver `provider-fields`: our form with the provider's hosted fields. Contract §4.
import type { StripeConstructor } from '@stripe/stripe-js';
import type { LoadErrorReason } from '@svc/contract/vault/form-messages';
import { readClaims } from './claims.ts';
import { ExpressForm } from './provider-express.ts';
import { ProviderForm } from './provider-form.ts';
import { loadProviderScript } from './provider-script.ts';
import { type OpenForm, startSession } from './session.ts';
import * as view from './view.ts';

type OpenedForm = Parameters<OpenForm>[0];

/** Shorter than the time after which the page around the form reports a load error. */
const slowAfterMs = 6_000;

/** Library and page come in any order; a form that comes late is a form all the same. */
class Start {
  #construct: StripeConstructor | undefined;
  #opened: OpenedForm | undefined;
  #trouble: LoadErrorReason | undefined;
  readonly #timer = setTimeout(() => this.fail('provider_too_slow'), slowAfterMs);

  loaded(construct: StripeConstructor): void {
    this.#construct = construct;
    this.#trouble = undefined;
    this.#open();
  }

  opened(opened: OpenedForm): void {
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

  async #show(construct: StripeConstructor, opened: OpenedForm): Promise<void> {
    const { options, mountToken, isExpress, send, done } = opened;
    const { publishableKey } = readClaims(mountToken);
    // A page reads its session again for another token.
    if (publishableKey === '') return this.fail('session_expired');
    const stripe = construct(publishableKey);
    const form = isExpress
      ? new ExpressForm(options, send, { stripe, mountToken })
      : new ProviderForm(options, send, stripe);
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
