// The system's Firefox over WebDriver BiDi, driven as the tests drive Chromium: when TEST_BROWSER is
// `firefox`, `sharedBrowser` gives it to every test. `npm run proof -- --only browsers` sets it.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, firefox, type Page } from 'playwright-core';

const places = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/snap/bin',
  '/Applications/Firefox.app/Contents/MacOS',
  'C:\\Program Files\\Mozilla Firefox',
];
const names = ['firefox-esr', 'firefox', 'firefox.exe'];

/** Returns the path of the Firefox in FIREFOX, else the first on the path; undefined when there is none. */
export function systemFirefox(): string | undefined {
  const named = process.env.FIREFOX;
  if (named && !existsSync(named)) throw new Error(`FIREFOX names ${named}, which does not exist`);
  const all = names.flatMap((name) => places.map((place) => join(place, name)));
  return named || all.find((path) => existsSync(path));
}

const notes =
  /frame-ancestors|^\(Report-Only policy\)|^Loading module from|^The Same Origin Policy|^Cross-Origin Request Blocked|^None of the “sha384” hashes/;

/**
 * True when Firefox only notes in its console what a test has caused and Chromium reports as a failed
 * request. The note would count as an error of the page, although no script has thrown.
 */
export const isNote = (text: string): boolean => notes.test(text);

export const isFirefox = (page: Page): boolean =>
  page.context().browser()?.browserType().name() === 'firefox';

/** Launches a Firefox that belongs to the caller, who closes it. */
export async function launchFirefox(given: { handleSIGTERM?: boolean } = {}): Promise<Browser> {
  const executablePath = systemFirefox();
  if (!executablePath) throw new Error('no Firefox here: install one, or name one in FIREFOX');
  const launched = await firefox.launch({
    ...given,
    executablePath,
    // With this channel Playwright uses WebDriver BiDi, which an unmodified Firefox supports.
    channel: 'moz-firefox',
    firefoxUserPrefs: prefs,
  });
  speakBidi(launched);
  return launched;
}

const prefs = {
  // Playwright cannot set these over WebDriver BiDi, so all tests use the same values.
  'ui.prefersReducedMotion': 1,
  'ui.systemUsesDarkTheme': 0,
  // A strict page's policy would refuse the icon, and Firefox would log that in the console of a page that
  // asked for none.
  'browser.chrome.site_icons': false,
  // With these properties Playwright finds what names an element. Firefox 153 crashes where two worlds of
  // scripts, or one after its memory was cleared, read such a property of one element; without them
  // Playwright reads the attributes.
  'accessibility.ARIAElementReflection.enabled': false,
};

type Action = { type: string; x?: number | undefined; y?: number | undefined };
type Source = { type?: string | undefined; actions?: Action[] | undefined };
type Argument = { readonly type: string; readonly value?: unknown };
type Params = {
  context?: string;
  actions?: Source[];
  arguments?: Argument[];
  [name: string]: unknown;
};
type Sender = {
  send(method: string, params?: Params): Promise<unknown>;
  emit(event: string, told: unknown): boolean;
};
type BrowserInternals = { _connection: { toImpl(browser: Browser): { _browserSession: Sender } } };
type PageSession = Sender & {
  readonly sessionId: string;
  on(event: string, listener: (told: StartedResponse) => void): void;
};
type PageInternals = {
  _connection: { toImpl(page: Page): { delegate: { _session: PageSession } } };
};
type StartedResponse = {
  readonly intercepts?: readonly string[];
  readonly request: { readonly request: string; readonly url: string };
};

/**
 * Lets the service get the page's requests, and the page no response to those whose address is `isLost`. Playwright
 * does this in Chromium by sending the request itself, which it cannot in Firefox: it is not told the body there.
 */
export async function loseResponses(page: Page, isLost: (url: string) => boolean): Promise<void> {
  const session = (page as unknown as PageInternals)._connection.toImpl(page).delegate._session;
  const { intercept } = (await session.send('network.addIntercept', {
    phases: ['responseStarted'],
    contexts: [session.sessionId],
  })) as { intercept: string };
  session.on('network.responseStarted', ({ intercepts, request: { request, url } }) => {
    if (!intercepts?.includes(intercept)) return;
    const method = isLost(url) ? 'network.failRequest' : 'network.continueResponse';
    // A page that was left meanwhile waits for no response.
    session.send(method, { request }).catch(() => {});
  });
}

/**
 * Adapts Playwright 1.65 to four things that Firefox 153 does not do over WebDriver BiDi.
 *
 * Playwright sets a colour scheme for each context with a command that this Firefox does not know, and
 * takes the error for the end of the context: the command is answered here, and `prefs` sets the scheme.
 *
 * Playwright sends mouse and keyboard actions to the page. Firefox does not pass them on to a frame that
 * another process draws, as it does with every cross-site frame: the frame is found here, as the browser's
 * window would find it.
 *
 * Playwright passes over a download that no navigation began, since Firefox gives it no id. The address of a
 * file that a page made is unique, and serves as one.
 *
 * Playwright types by a script of its own, which replaces what is selected. Fields of email addresses and numbers
 * tell no script what is selected, and it appends there. The browser's own command knows.
 */
function speakBidi(launched: Browser): void {
  const session = (launched as unknown as BrowserInternals)._connection.toImpl(
    launched,
  )._browserSession;
  const all = Object.getPrototypeOf(session) as Sender;
  const { send, emit } = all;
  all.emit = function (this: Sender, event, told) {
    if (!event.startsWith('browsingContext.download')) return emit.call(this, event, told);
    const { navigation, url } = told as Download;
    return emit.call(this, event, navigation ? told : { ...(told as Download), download: url });
  };
  const pointers = new WeakMap<Sender, Place>();
  const queues = new WeakMap<Sender, Promise<unknown>>();
  const performActions = async (page: Sender, params: Params) => {
    const request: SendCommand = (name, given) => send.call(page, name, given);
    const { context = '', actions: [source] = [] } = params;
    const { x, y } = source?.actions?.[0] ?? {};
    const isPointer = source?.type === 'pointer';
    const known = isPointer && x === undefined ? (pointers.get(page) ?? { context }) : undefined;
    const place = known ?? (await innermost(request, { context, x, y }));
    if (isPointer) pointers.set(page, place);
    const moved = source?.actions?.map((one) =>
      one.x === undefined ? one : { ...one, x: place.x, y: place.y },
    );
    const actions = [{ ...source, actions: moved }];
    const there = request('input.performActions', { ...params, context: place.context, actions });
    // The press may remove its frame; the page then gets the release.
    return place.context === context
      ? there
      : there.catch(() => request('input.performActions', params));
  };
  all.send = function (this: Sender, method, params) {
    if (method === 'emulation.setMediaFeaturesOverride') return Promise.resolve({});
    if (method === 'script.callFunction' && params?.arguments?.some(types)) {
      const given = params.arguments.map((one) => (types(one) ? { ...one, value: typeText } : one));
      return send.call(this, method, { ...params, arguments: given });
    }
    if (method !== 'input.performActions' || !params) return send.call(this, method, params);
    // Playwright does not wait for a move before it sends the press.
    const before = queues.get(this) ?? Promise.resolve();
    const done = before.then(() => performActions(this, params));
    queues.set(
      this,
      done.catch(() => {}),
    );
    return done;
  };
}

const types = ({ value }: Argument): boolean =>
  typeof value === 'string' && value.includes('window.__pw_bidiInsertText(');
const typeText = `(text) => {
  let field = document.activeElement;
  while (field?.shadowRoot) field = field.shadowRoot.activeElement;
  const isSilent = field instanceof HTMLInputElement && field.selectionStart === null;
  return isSilent
    ? void document.execCommand('insertText', false, text)
    : window.__pw_bidiInsertText(text);
}`;

type Download = { readonly navigation: string | null; readonly url: string };

type SendCommand = (method: string, params: Params) => Promise<unknown>;
type Place = { context: string; x?: number | undefined; y?: number | undefined };
type FoundFrame = {
  result: { value?: [{ value: { context: string } }, { value: number }, { value: number }] };
};

/**
 * Returns the frame under the pointer, or the one with the focus when there is no pointer, and the point in
 * it.
 */
async function innermost(ask: SendCommand, place: Place): Promise<Place> {
  const { context, x, y } = place;
  const point = [x, y].map((value) => (value === undefined ? nothing : { type: 'number', value }));
  const found = (await ask('script.callFunction', {
    functionDeclaration: frameAt,
    arguments: point,
    target: { context },
    awaitPromise: false,
  })) as FoundFrame;
  if (!found.result?.value) return place;
  const [window, left, top] = found.result.value;
  const within = x === undefined || y === undefined ? {} : { x: x - left.value, y: y - top.value };
  return innermost(ask, { context: window.value.context, ...within });
}

const nothing = { type: 'undefined' };
/** Returns the window of the frame and the position of its page. */
const frameAt = `(x, y) => {
  const one = (root) => (x === undefined ? root.activeElement : root.elementFromPoint(x, y));
  let found = one(document);
  while (found?.shadowRoot && one(found.shadowRoot) && one(found.shadowRoot) !== found) {
    found = one(found.shadowRoot);
  }
  if (!(found instanceof HTMLIFrameElement)) return null;
  const { left, top } = found.getBoundingClientRect();
  const { paddingLeft, paddingTop } = getComputedStyle(found);
  return [found.contentWindow, left + found.clientLeft + parseFloat(paddingLeft),
    top + found.clientTop + parseFloat(paddingTop)];
}`;
