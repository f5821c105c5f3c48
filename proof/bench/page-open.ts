// The time from opening a page to a card field that accepts typing, in Chromium, with the whole
// product and a round trip added to every response. The minimum is two round trips: page and form.

import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { browser } from '@svc/tools/browser';
import type { Block } from '@svc/tools/start/block';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type DelayProxy, openFarAway } from './delay-proxy.ts';
import type { Closers } from './load/closers.ts';
import { median } from './load/statistics.ts';
import {
  bareForm,
  barePage,
  bundleScript,
  type Design,
  designs,
  type PagePlan,
  shopPage,
} from './shop-page.ts';
import { startWholeProduct } from './whole-product.ts';

/** When the card field accepted typing, and when the page had the session's cart and buyer. */
type Marks = { readonly interactive: number; readonly attached: number };

/**
 * `near`: the shop's own origin forwards calls to the service. `across`: the page calls another
 * origin.
 */
type Place = 'near' | 'across';

export type PageRound = {
  readonly roundTripMs: number;
  readonly near: Readonly<Record<Design, Marks>>;
  readonly across: Readonly<Record<Design, Marks>>;
  /** Our own page of an unclaimed session. */
  readonly hostedMs: number;
  /** An empty page with one field in an isolated frame: the browser's own share of the time. */
  readonly bareMs: number;
};

const roundTrips = [60, 150] as const;

type Fixture = {
  readonly product: Block;
  readonly far: DelayProxy;
  readonly chromium: Browser;
  readonly shopUrl: string;
};

type Settings = {
  readonly rounds: number;
  readonly trips?: readonly number[];
  readonly say: (line: string) => void;
};

export async function measurePageOpen(
  closers: Closers,
  { rounds, trips = roundTrips, say }: Settings,
): Promise<PageRound[]> {
  const fixture = await openFixture(closers);
  say('the whole product runs, and a browser');
  await assertTakesCard(fixture);
  const taken: PageRound[] = [];
  // The first round is slower because the machine is cold, so it does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const roundTripMs of trips) {
      const found = await measureRound(fixture, roundTripMs);
      if (round > 0) taken.push(found);
    }
  }
  say(`page opened ${taken.length * (designs.length * 2 + 2)} times`);
  return taken;
}

async function openFixture(closers: Closers): Promise<Fixture> {
  const product = await startWholeProduct(closers);
  const far = await openFarAway(closers);
  const chromium = await browser();
  await closers.add(() => chromium.close());
  const shopUrl = await openShop(closers, product);
  return { product, far, chromium, shopUrl };
}

const shellOf = ({ clientId }: Block) => ({
  clientId,
  currency: 'EUR',
  deferDataAttachment: true,
});

async function openSession(product: Block) {
  const answer = await fetch(`${product.apiUrl}/v1/checkouts/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(shellOf(product)),
  });
  if (answer.status !== 201) throw new Error(`a shell was answered ${answer.status}`);
  return (await answer.json()) as {
    url: string;
    vault: { formUrl: string; formOrigin: string };
  };
}

/** Serves the shop: a page for each design, and the service's calls on the shop's own origin. */
async function openShop(closers: Closers, product: Block): Promise<string> {
  const code = await bundleScript();
  const { vault } = await openSession(product);
  const { formUrl, formOrigin } = vault;
  const plan = (design: Design, place: Place): PagePlan => ({
    design,
    apiUrl: place === 'near' ? '' : product.apiUrl,
    form: { formUrl, formOrigin },
    shell: shellOf(product),
    cart: {
      clientId: product.clientId,
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 1 }],
      accountData: { userId: randomUUID(), email: 'buyer@example.test' },
    },
  });
  const formOnly = createServer((_, answer) => {
    const isolated = { 'content-type': 'text/html', 'origin-agent-cluster': '?1' };
    answer.writeHead(200, isolated).end(bareForm);
  });
  const bare = barePage(await listen(closers, formOnly));
  const serve = (asked: IncomingMessage, answer: ServerResponse): void => {
    const [, place = '', design] = (asked.url ?? '').split('/');
    if (place === 'v1') {
      forward(product, asked, answer);
      return;
    }
    const isPage = designs.includes(design as Design);
    const text = isPage ? shopPage(code, plan(design as Design, place as Place)) : bare;
    answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(text);
  };
  return listen(closers, createServer(serve));
}

async function listen(closers: Closers, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await closers.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function forward({ apiUrl }: Block, asked: IncomingMessage, answer: ServerResponse): void {
  const { method, headers } = asked;
  const { host: _, origin: __, ...rest } = headers;
  const away = request(apiUrl + asked.url, { method, headers: rest }, (found) => {
    answer.writeHead(found.statusCode ?? 502, found.rawHeaders);
    found.pipe(answer);
  });
  away.on('error', () => answer.destroy());
  asked.pipe(away);
}

/** Opens a page with an empty profile, so that nothing is cached, over the slow network. */
async function withPage<T>(fixture: Fixture, use: (page: Page) => Promise<T>): Promise<T> {
  const proxy = { server: fixture.far.proxyUrl, bypass: '<-loopback>' };
  const context: BrowserContext = await fixture.chromium.newContext({ proxy });
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
  }
}

async function measureRound(fixture: Fixture, roundTripMs: number): Promise<PageRound> {
  fixture.far.setRoundTrip(roundTripMs);
  const measurePlace = async (place: Place) => {
    const marks: Partial<Record<Design, Marks>> = {};
    for (const design of designs) {
      marks[design] = await openShopPage(fixture, `${place}/${design}`);
    }
    return marks as Record<Design, Marks>;
  };
  const near = await measurePlace('near');
  const across = await measurePlace('across');
  const hostedMs = await openHostedPage(fixture);
  const bareMs = (await openShopPage(fixture, 'bare')).interactive;
  return { roundTripMs, near, across, hostedMs, bareMs };
}

const isDone = `(() => {
  const { trouble, interactive, attached } = globalThis.marks ?? {};
  return trouble !== undefined || (interactive !== undefined && attached !== undefined);
})()`;

async function readMarks(page: Page): Promise<Marks> {
  await page.waitForFunction(isDone, undefined, { timeout: 20_000 });
  const marks = (await page.evaluate('globalThis.marks')) as Marks & { trouble?: string };
  if (marks.trouble !== undefined) throw new Error(`the shop's page failed: ${marks.trouble}`);
  return marks;
}

const openShopPage = (fixture: Fixture, path: string): Promise<Marks> =>
  withPage(fixture, async (page) => {
    await page.goto(`${fixture.shopUrl}/${path}`, { waitUntil: 'commit' });
    return readMarks(page);
  });

const watchHosted = `(() => {
  const look = () => {
    if (document.querySelector('.card-host:not(.waiting)')) {
      globalThis.interactiveAt ??= performance.now();
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
})()`;

async function openHostedPage(fixture: Fixture): Promise<number> {
  const { url } = await openSession(fixture.product);
  return withPage(fixture, async (page) => {
    await page.addInitScript(watchHosted);
    await page.goto(url, { waitUntil: 'commit' });
    // Waits by a locator and not by a function, because the page's policy forbids evaluating text.
    await page.locator('.card-host:not(.waiting)').waitFor({ timeout: 20_000 });
    return (await page.evaluate('globalThis.interactiveAt')) as number;
  });
}

/**
 * Throws when a design's form returns no token: figures of a form that does not work are useless.
 */
async function assertTakesCard(fixture: Fixture): Promise<void> {
  fixture.far.setRoundTrip(0);
  for (const design of designs) {
    const token = await withPage(fixture, async (page) => {
      await page.goto(`${fixture.shopUrl}/across/${design}`);
      await readMarks(page);
      const form = page.frameLocator('#card iframe');
      await form.getByLabel('Card number').pressSequentially('4242424242424242');
      await form.getByLabel('Expiry date').fill('12/34');
      await form.getByLabel('Security code').fill('123');
      return (await page.evaluate(
        'globalThis.frame.submit().then(({ token }) => token)',
      )) as string;
    });
    if (!token.startsWith('svct_')) throw new Error(`${design} came to no token: ${token}`);
  }
}

const wholeText = (value: number): string => value.toFixed(0);
const partText = (value: number): string => value.toFixed(2);

/** The largest permitted times, as multiples of two round trips and of the one-shot design. */
const bounds: Readonly<Record<number, readonly [floor: number, oneShot: number]>> = {
  60: [1.45, 0.65],
  150: [1.25, 0.7],
};

function describeOne(rounds: readonly PageRound[], roundTripMs: number): string[] {
  const taken = rounds.filter((round) => round.roundTripMs === roundTripMs);
  if (taken.length === 0) return [];
  const medianOf = (value: (round: PageRound) => number) => median(taken.map(value));
  const least = 2 * roundTripMs;
  const [mostOfLeast = 0, mostOfOneShot = 0] = bounds[roundTripMs] ?? [];
  const lines = (['near', 'across'] as const).map((place) => {
    const interactiveOf = (design: Design) => medianOf((round) => round[place][design].interactive);
    const ofOneShot = medianOf(
      (round) => round[place].eager.interactive / round[place]['one-shot'].interactive,
    );
    const ofBare = medianOf((round) => round[place].eager.interactive / round.bareMs);
    const late = medianOf(
      (round) => round[place].eager.attached - round[place]['one-shot'].attached,
    );
    return (
      `  ${place.padEnd(6)}  one-shot ${wholeText(interactiveOf('one-shot'))} ms, shell ${wholeText(interactiveOf('shell'))} ms, ` +
      `form at once ${wholeText(interactiveOf('eager'))} ms = ${partText(interactiveOf('eager') / least)} of two round trips ` +
      `(at most ${mostOfLeast}), ${partText(ofOneShot)} of one-shot (at most ${mostOfOneShot}), ` +
      `${partText(ofBare)} of the bare page; ` +
      `cart ${wholeText(late)} ms after one-shot's`
    );
  });
  const hosted = medianOf((round) => round.hostedMs);
  const bare = medianOf((round) => round.bareMs);
  const own =
    `  hosted  ${wholeText(hosted)} ms = ${partText(hosted / least)} of two round trips; ` +
    `a bare page with one field in such a frame ${wholeText(bare)} ms = ${partText(bare / least)}`;
  return [`round trip ${roundTripMs} ms, ${taken.length} times each:`, ...lines, own];
}

export const describePageOpen = (rounds: readonly PageRound[]): string =>
  [
    'page open to a card field that can be typed in (Chromium, empty cache, medians)',
    ...roundTrips.flatMap((ms) => describeOne(rounds, ms)),
    'near: calls on the shop’s own origin; across: on the service’s, each with its preflight;',
    'hosted: our page of a shell, whose form follows script and session;',
    'bare: what this browser takes here for a page and a frame in a process of its own',
  ].join('\n');
