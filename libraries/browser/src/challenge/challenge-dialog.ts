// Shows the bank's challenge in a modal dialog of the merchant's page. A shadow root keeps the two style
// sheets apart. This page cannot see what the buyer does in the bank's frame: only the status reports the
// end.

import type { Appearance } from '../api/wire.ts';
import type { Texts } from '../texts/en.ts';
import type { Language } from '../texts/texts.ts';
import { hostDialog } from './challenge-host.ts';
import { challengeStyle } from './challenge-style.ts';

/** Appearance and time limit of the dialog. */
export type ChallengeOptions = {
  readonly appearance?: Appearance;
  /** A nonce for `style-src 'nonce-…'`, needed where a browser has no constructed style sheets. */
  readonly styleNonce?: string;
  /** Ends the bank's challenge after this many milliseconds; 15 minutes by default. */
  readonly challengeTimeoutMs?: number;
};

export type ChallengeRequest = {
  /** The address of the bank's page, http or https. */
  readonly url: string;
  /** The address to which the bank sends the frame back. */
  readonly returnUrl: string;
  readonly language: Language;
  readonly options: ChallengeOptions;
  readonly isPaying: boolean;
  /** The element that contains the card form. */
  readonly container: Element | null | undefined;
};

export type Challenge = {
  /** Resolves when the buyer cancels the challenge. */
  readonly givenUp: Promise<void>;
  /** Calls the listener at every sign that the bank's frame has returned, with the value of its message. */
  onReturn(listener: (chv: string) => void): void;
  /** Covers the bank's page while the library asks the service how the challenge ended. */
  showChecking(isChecking: boolean): void;
  close(): void;
};

type Children = readonly (Node | string)[];

function createElement<K extends keyof HTMLElementTagNameMap>(
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

/**
 * Uses a constructed style sheet, which a strict style-src allows, or else a style element with the nonce.
 */
function applyStyle(root: ShadowRoot, nonce: string | undefined): void {
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

/**
 * Applies the form's appearance as far as a dialog has it. Sets properties, which a strict style-src
 * allows.
 */
function colour(dialog: HTMLDialogElement, { appearance }: ChallengeRequest['options']): void {
  dialog.dataset.theme = appearance?.theme ?? 'light';
  for (const [name, value] of Object.entries(appearance?.variables ?? {})) {
    if (name !== 'fontSize') dialog.style.setProperty(`--${name}`, value);
  }
}

type Parts = ReturnType<typeof build>;

function build(texts: Texts, { url, isPaying }: ChallengeRequest) {
  const button = (className: string, text: string) =>
    createElement('button', { type: 'button', className, textContent: text });
  const frame = createElement('iframe', {
    title: texts.frame,
    referrerPolicy: 'no-referrer',
    allow: 'payment; publickey-credentials-get',
  });
  const cancel = button('quiet', texts.cancel);
  const stay = button('', texts.stopNo);
  const stop = button('danger', texts.stopYes);
  const question = createElement(
    'div',
    { className: 'stop', hidden: true },
    createElement('strong', { id: 'stop-title', textContent: texts.stopTitle }),
    createElement('p', {
      id: 'stop-text',
      textContent: (isPaying ? texts.paying : texts).stopText,
    }),
    createElement('div', { className: 'ways' }, stay, stop),
  );
  label(question, {
    role: 'alertdialog',
    'aria-labelledby': 'stop-title',
    'aria-describedby': 'stop-text',
  });
  const said = createElement('span', { textContent: texts.wait });
  const spinner = createElement('span', { className: 'spinner' });
  label(spinner, { 'aria-hidden': 'true' });
  const wait = createElement('p', { className: 'wait' }, spinner, said);
  label(wait, { role: 'status' });
  const link = createElement('a', {
    href: url,
    target: '_blank',
    rel: 'noopener noreferrer',
    textContent: texts.open,
  });
  const trouble = createElement('span', { textContent: texts.trouble });
  const title = createElement('h2', { id: 'title', textContent: texts.confirming });
  const head = createElement('header', {}, title, cancel);
  const page = createElement('div', { className: 'page' }, frame, wait);
  const foot = createElement('p', { className: 'foot' }, trouble, ' ', link);
  const dialog = createElement('dialog', {}, head, question, page, foot);
  label(dialog, { 'aria-labelledby': 'title' });
  return { dialog, frame, cancel, stay, stop, question, wait, said, trouble, link };
}

/** Cancel and Escape show a question before they end the challenge. `ask` shows it for Escape. */
function askBeforeEnding(
  parts: Parts,
  isOpen: () => boolean,
): { readonly ask: () => void; readonly givenUp: Promise<void> } {
  const { dialog, cancel, stay, stop, question } = parts;
  const showQuestion = (isShown: boolean) => {
    question.hidden = !isShown;
    cancel.setAttribute('aria-expanded', String(isShown));
    (isShown ? stay : cancel).focus();
  };
  const request = () => {
    // Browsers close a dialog at the second Escape whatever the page does.
    if (!dialog.open) dialog.showModal();
    showQuestion(true);
  };
  cancel.setAttribute('aria-expanded', 'false');
  cancel.addEventListener('click', request);
  stay.addEventListener('click', () => showQuestion(false));
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    request();
  });
  dialog.addEventListener('close', () => isOpen() && request());
  const givenUp = new Promise<void>((resolve) => {
    stop.addEventListener('click', () => {
      showQuestion(false);
      resolve();
    });
  });
  return { ask: request, givenUp };
}

/** Returns the origin of an address, or a text that is a prefix of no address. */
function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return ' ';
  }
}

/** Calls `tell` at every sign of a return. Returns a function that stops listening. */
function listenForReturn(
  { frame, wait }: Parts,
  { url, returnUrl }: ChallengeRequest,
  { tell, leave }: { tell: (chv: string) => void; leave: () => void },
): () => void {
  const home = originOf(returnUrl);
  let { contentWindow } = frame;
  let loads = 0;
  const onLoad = () => {
    // A frame that was moved in the page loads from the start again.
    loads = frame.contentWindow === contentWindow ? loads + 1 : 1;
    contentWindow = frame.contentWindow;
    if (loads === 1) wait.hidden = true;
    // The page that the bank returns to may refuse to be framed here: then only the load event is seen.
    else tell('returned');
  };
  const onMessage = ({ source, origin, data }: MessageEvent) => {
    const isReturn = source === frame.contentWindow && origin === home;
    if (isReturn && data?.kind === 'svc.challenge.returned') tell(String(data.chv || 'returned'));
  };
  const onViolation = (event: SecurityPolicyViolationEvent) => {
    const { effectiveDirective, blockedURI, disposition } = event;
    // A report-only policy blocks nothing.
    if (disposition !== 'enforce') return;
    if (!/^(frame|child|default)-src$/.test(effectiveDirective)) return;
    if (blockedURI.startsWith(home)) tell('returned');
    // The merchant's policy blocks the bank's page: a window of its own has no such policy.
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

/** Opens the bank's page. Only the buyer or `close` closes the dialog. */
export function openChallenge(request: ChallengeRequest, english: Texts): Challenge {
  const { url, language, options, container } = request;
  const texts = language.texts ?? english;
  const parts = build(texts, request);
  const { dialog, frame, wait, said, trouble, link } = parts;
  colour(dialog, options);
  dialog.lang = language.texts ? language.code : 'en';
  dialog.dir = language.texts && language.isRightToLeft ? 'rtl' : 'ltr';
  let isOpen = true;
  let listener: (chv: string) => void = () => {};
  const { ask, givenUp } = askBeforeEnding(parts, () => isOpen);
  const hosted = hostDialog(dialog, container, {
    dress: (root) => applyStyle(root, options.styleNonce),
    onEscape: ask,
  });
  // Offers the bank's page in a new window, because the frame must stay empty.
  const offerNewWindow = () => {
    dialog.className = 'small';
    trouble.textContent = texts.elsewhere;
    link.focus();
  };
  hosted.show();
  // Listening starts here because an empty frame fires `load` as soon as it is in the document.
  const passResult = (chv: string) => listener(chv);
  const stopListening = listenForReturn(parts, request, {
    tell: passResult,
    leave: offerNewWindow,
  });
  // A cross-origin isolated page can embed only isolated pages, which no bank's page is.
  if (globalThis.crossOriginIsolated) offerNewWindow();
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
