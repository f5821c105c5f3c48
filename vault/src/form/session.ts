// Connects one mounted form with its page: the page's messages control the form. Contract §4.
import type { FormOptions, LoadErrorReason, ToForm } from '@svc/contract/vault/form-messages';
import { listen, type Send } from './channel.ts';
import type { Face } from './face.ts';
import { Submits } from './submits.ts';
import { fallbackLanguage, findLanguage } from './texts/index.ts';
import * as view from './view.ts';

const refusals: Partial<Record<LoadErrorReason, string>> = {
  origin_not_allowed: 'origin_not_allowed: this page may not show the card form.',
  version_mismatch: 'version_mismatch: this card form is of another version than the page expects.',
};

type OpenOptions = {
  readonly options: FormOptions;
  readonly mountToken: string;
  readonly isExpress: boolean;
  readonly send: Send;
  /** Called when the form can be filled in. The page then receives `ready`. */
  readonly done: (form: Face) => void;
};

/**
 * Makes the form. When that fails, it reports the reason to the page and never calls `done`, or calls it
 * late.
 */
export type OpenForm = (opened: OpenOptions) => void;

class Session {
  readonly #send: Send;
  readonly #open: OpenForm;
  #form: Face | undefined;
  #mountToken = '';
  /** Options that arrived while the form was being made. */
  #later: FormOptions[] = [];
  #isOpening = false;
  readonly #submits: Submits;

  constructor(send: Send, open: OpenForm) {
    this.#send = send;
    this.#submits = new Submits(send);
    this.#open = open;
  }

  receive(message: ToForm): void {
    const form = this.#form;
    if (message.type === 'mount') this.#mount(message);
    else if (message.type === 'mountToken') this.#renew(message.mountToken);
    else if (!form)
      this.#send({ type: 'warning', message: `'${message.type}' came before 'mount'.` });
    else if (message.type === 'update') form.update(message.options);
    else if (message.type === 'focus') form.focus(message.field);
    else if (message.type === 'disable') form.disable(message.disabled);
    else if (message.type === 'clear') form.clear();
    else void this.#submits.submit(form, message.id, this.#mountToken);
  }

  #renew(mountToken: string): void {
    this.#mountToken = mountToken;
    this.#form?.renew(mountToken);
  }

  #mount({ mountToken, options, express }: Extract<ToForm, { type: 'mount' }>): void {
    this.#renew(mountToken);
    if (this.#form) {
      this.#form.update(options);
      return;
    }
    if (this.#isOpening) {
      this.#later.push(options);
      return;
    }
    this.#isOpening = true;
    const handOverForm = (form: Face) => this.#opened(form);
    const isExpress = express === true;
    this.#open({ options, mountToken, isExpress, send: this.#send, done: handOverForm });
  }

  #opened(form: Face): void {
    this.#form = form;
    for (const options of this.#later.splice(0)) form.update(options);
    form.renew(this.#mountToken);
    view.reveal();
    this.#watchKeys();
    this.#watchHeight();
    this.#send({ type: 'ready', ...(form.hasExpress ? { hasExpress: true } : {}) });
    if (form.wantsFocus) form.focus('number');
  }

  #watchKeys(): void {
    document.addEventListener('keydown', (event) => {
      if (event.isComposing) return;
      if (event.key === 'Escape') this.#send({ type: 'escape' });
      if (event.key === 'Enter') {
        event.preventDefault();
        // Key repeats of a held Enter count once.
        if (!event.repeat) this.#send({ type: 'enter' });
      }
    });
    view.formElement().addEventListener('submit', (event) => event.preventDefault());
  }

  #watchHeight(): void {
    let last = 0;
    const tell = () => {
      const px = Math.ceil(view.frameElement().getBoundingClientRect().height);
      if (px !== last) this.#send({ type: 'height', px });
      last = px;
    };
    tell();
    new ResizeObserver(tell).observe(view.frameElement());
  }
}

/** Starts the document in its frame: waits for the page's handshake, then handles its messages. */
export function startSession(open: OpenForm): void {
  const language = findLanguage(navigator.languages) ?? fallbackLanguage;
  view.showLanguage(language.code, language.direction, language.texts);
  const refusal = document.documentElement.dataset.refusal as LoadErrorReason | undefined;
  const isAlone = window.parent === window;
  if (refusal) view.refuse(refusals[refusal] ?? refusal);
  else if (isAlone) view.refuse('This card form works inside a checkout page.');
  listen({
    refusal,
    onOpen: (send) => {
      const session = new Session(send, open);
      return (message) => session.receive(message);
    },
  });
}
