// The bank's question in a modal dialog of the merchant's page, inside a shadow root so that neither
// style sheet reaches the other. What the buyer does in the bank's frame this page never sees: the
// status tells the end. Experience: 3DS.

import { hostDialog } from './challenge-host.ts';
import { challengeStyle } from './challenge-style.ts';
import type { Texts } from './texts/en.ts';
import type { Language } from './texts/index.ts';
import type { Appearance } from './wire.ts';

/** Looks of the dialog, and how long it is patient. */
export type ChallengeOptions = {
  readonly appearance?: Appearance;
  /** For `style-src 'nonce-…'`, where a browser knows no constructed style sheets. */
  readonly styleNonce?: string;
  /** Gives the bank's question up after so long; a quarter of an hour by default. */
  readonly challengeTimeoutMs?: number;
};

export type ChallengeWish = {
  /** Of the bank's page, http or https. */
  readonly url: string;
  /** Where the bank sends the frame back to. */
  readonly returnUrl: string;
  readonly language: Language;
  readonly options: ChallengeOptions;
  readonly isPaying: boolean;
  /** What holds the card form. */
  readonly container: Element | null | undefined;
};

export type Challenge = {
  /** Resolves when the buyer gives the question up. */
  readonly givenUp: Promise<void>;
  /** Hears of every sign that the bank's frame has come back, with what it brought along. */
  onReturn(listener: (chv: string) => void): void;
  /** Covers the bank's page while the service is asked how it ended. */
  showChecking(isChecking: boolean): void;
  close(): void;
};

type Children = readonly (Node | string)[];

function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: Children
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function label(element: Element, attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

/** By constructed style sheet, which a strict style-src allows; else by a style with the nonce. */
function dress(root: ShadowRoot, nonce: string | undefined): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(challengeStyle);
    root.adoptedStyleSheets = [sheet];
  } catch {
    const style = document.createElement('style');
    if (nonce) style.nonce = nonce;
    style.textContent = challengeStyle;
    root.append(style);
  }
}

/** The looks of the form, as far as a dialog has them; by property, for a strict style-src. */
function colour(dialog: HTMLDialogElement, { appearance }: ChallengeWish['options']): void {
  dialog.dataset.theme = appearance?.theme ?? 'light';
  for (const [name, value] of Object.entries(appearance?.variables ?? {})) {
    if (name !== 'fontSize') dialog.style.setProperty(`--${name}`, value);
  }
}

type Parts = ReturnType<typeof build>;

function build(texts: Texts, { url, isPaying }: ChallengeWish) {
  const button = (className: string, text: string) =>
    make('button', { type: 'button', className, textContent: text });
  const frame = make('iframe', {
    title: texts.frame,
    referrerPolicy: 'no-referrer',
    allow: 'payment; publickey-credentials-get',
  });
  const cancel = button('quiet', texts.cancel);
  const stay = button('', texts.stopNo);
  const stop = button('danger', texts.stopYes);
  const question = make(
    'div',
    { className: 'stop', hidden: true },
    make('strong', { id: 'stop-title', textContent: texts.stopTitle }),
    make('p', { id: 'stop-text', textContent: (isPaying ? texts.paying : texts).stopText }),
    make('div', { className: 'ways' }, stay, stop),
  );
  label(question, {
    role: 'alertdialog',
    'aria-labelledby': 'stop-title',
    'aria-describedby': 'stop-text',
  });
  const said = make('span', { textContent: texts.wait });
  const spinner = make('span', { className: 'spinner' });
  label(spinner, { 'aria-hidden': 'true' });
  const wait = make('p', { className: 'wait' }, spinner, said);
  label(wait, { role: 'status' });
  const link = make('a', {
    href: url,
    target: '_blank',
    rel: 'noopener noreferrer',
    textContent: texts.open,
  });
  const trouble = make('span', { textContent: texts.trouble });
  const title = make('h2', { id: 'title', textContent: texts.confirming });
  const head = make('header', {}, title, cancel);
  const page = make('div', { className: 'page' }, frame, wait);
  const foot = make('p', { className: 'foot' }, trouble, ' ', link);
  const dialog = make('dialog', {}, head, question, page, foot);
  label(dialog, { 'aria-labelledby': 'title' });
  return { dialog, frame, cancel, stay, stop, question, wait, said, trouble, link };
}

/** Cancel and Escape ask first: `ask` is for Escape. */
function askBeforeEnd(
  parts: Parts,
  isOpen: () => boolean,
): { readonly ask: () => void; readonly givenUp: Promise<void> } {
  const { dialog, cancel, stay, stop, question } = parts;
  const show = (isShown: boolean) => {
    question.hidden = !isShown;
    cancel.setAttribute('aria-expanded', String(isShown));
    (isShown ? stay : cancel).focus();
  };
  const ask = () => {
    // Browsers close a dialog at the second Escape whatever the page says.
    if (!dialog.open) dialog.showModal();
    show(true);
  };
  cancel.setAttribute('aria-expanded', 'false');
  cancel.addEventListener('click', ask);
  stay.addEventListener('click', () => show(false));
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    ask();
  });
  dialog.addEventListener('close', () => isOpen() && ask());
  const givenUp = new Promise<void>((resolve) => {
    stop.addEventListener('click', () => {
      show(false);
      resolve();
    });
  });
  return { ask, givenUp };
}

/** Of an address, or a text that begins no other. */
function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return ' ';
  }
}

/** Tells every sign of a return; answers how to stop listening. */
function listenForReturn(
  { frame, wait }: Parts,
  { url, returnUrl }: ChallengeWish,
  { tell, leave }: { tell: (chv: string) => void; leave: () => void },
): () => void {
  const home = originOf(returnUrl);
  let { contentWindow } = frame;
  let loads = 0;
  const onLoad = () => {
    // A frame that has been moved in the page begins anew.
    loads = frame.contentWindow === contentWindow ? loads + 1 : 1;
    contentWindow = frame.contentWindow;
    if (loads === 1) wait.hidden = true;
    // The page that the bank returns to may refuse this page as its frame: the load is all one sees.
    else tell('returned');
  };
  const onMessage = ({ source, origin, data }: MessageEvent) => {
    const isReturn = source === frame.contentWindow && origin === home;
    if (isReturn && data?.kind === 'svc.challenge.returned') tell(String(data.chv || 'returned'));
  };
  const onViolation = (event: SecurityPolicyViolationEvent) => {
    const { effectiveDirective, blockedURI, disposition } = event;
    // A policy that only reports blocks nothing.
    if (disposition !== 'enforce') return;
    if (!/^(frame|child|default)-src$/.test(effectiveDirective)) return;
    if (blockedURI.startsWith(home)) tell('returned');
    // A bank that the merchant's policy does not know: a window of its own has no such policy.
    else if (blockedURI.startsWith(originOf(url))) leave();
  };
  frame.addEventListener('load', onLoad);
  addEventListener('message', onMessage);
  document.addEventListener('securitypolicyviolation', onViolation);
  return () => {
    removeEventListener('message', onMessage);
    document.removeEventListener('securitypolicyviolation', onViolation);
  };
}

/** Opens the bank's page. Nothing ends it but its buyer and `close`. */
export function openChallenge(wish: ChallengeWish, english: Texts): Challenge {
  const { url, language, options, container } = wish;
  const texts = language.texts ?? english;
  const parts = build(texts, wish);
  const { dialog, frame, wait, said, trouble, link } = parts;
  colour(dialog, options);
  dialog.lang = language.texts ? language.code : 'en';
  dialog.dir = language.texts && language.isRightToLeft ? 'rtl' : 'ltr';
  let isOpen = true;
  let listener: (chv: string) => void = () => {};
  const { ask, givenUp } = askBeforeEnd(parts, () => isOpen);
  const hosted = hostDialog(dialog, container, {
    dress: (root) => dress(root, options.styleNonce),
    onEscape: ask,
  });
  // The bank in a window of its own, where its frame must stay empty.
  const leave = () => {
    dialog.className = 'small';
    trouble.textContent = texts.elsewhere;
    link.focus();
  };
  hosted.show();
  // Listened to only now: an empty frame is loaded as soon as it stands in the document.
  const tell = (chv: string) => listener(chv);
  const stopListening = listenForReturn(parts, wish, { tell, leave });
  // An isolated page embeds only what isolates itself as well, which no bank does.
  if (globalThis.crossOriginIsolated) leave();
  else frame.src = url;
  return {
    givenUp,
    onReturn: (given) => {
      listener = given;
    },
    showChecking: (isChecking) => {
      said.textContent = isChecking ? texts.checking : texts.wait;
      wait.hidden = !isChecking;
    },
    close: () => {
      isOpen = false;
      stopListening();
      hosted.remove();
    },
  };
}
