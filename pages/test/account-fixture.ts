// The fixture of the account pages' tests: the real service with its database and OAuth server in this
// process, and a real browser, one per test file.

import { createHmac, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { rows } from '@svc/contract';
import { sharedBrowser } from '@svc/tools/browser';
import { scaled } from '@svc/tools/machine';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { isTesterUrl } from '../../service/src/domain/protocol/webhook-tester.ts';
import type { Ports, Role } from '../../service/src/engine/ports.ts';
import { hashPassword } from '../../service/src/engine/steps/people/password-hash.ts';
import { contractLimits } from '../../service/src/http/limits/limits.ts';
import { openOauth } from '../../service/src/oauth/open-oauth.ts';
import { everyClient } from '../../service/src/storage/database/database.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { webhookUrlJudge } from '../../service/src/webhooks/judge-url.ts';
import { webhookSender } from '../../service/src/webhooks/send.ts';
import {
  aClient,
  freshDatabase,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
} from '../../service/test/harness.ts';
import { join as joinClient } from '../../service/test/people/members.ts';
import { aSignIn, fromOwnPage, type TestSignIn } from '../../service/test/people/people.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';
import { loopback, sealedFor } from '../../service/test/webhooks/webhooks.ts';
import { buildPages } from '../build.ts';
import { axeFindings } from './axe-findings.ts';
import { waitForTransitions } from './looks.ts';
import { openWatchedPage, type ScreenOptions } from './watched-page.ts';

export const password = 'plum kettle orbit seven';

export type TestPerson = { readonly id: string; readonly email: string; readonly name: string };
/** The rules of axe that depend on colours. All others find the same in dark and light. */
const ofColours = ['color-contrast', 'link-in-text-block'];
const ofWidths = ['scrollable-region-focusable'];
const looks = [
  ['light', 1000, 'light', []],
  ['dark', 1000, 'dark', ofColours],
  ['phone', 360, 'light', ofWidths],
] as const;

const insertPerson = sql(
  'test_page_person',
  `insert into users (id, email, name, password_hash, password_changed_at, created_at)
   values ($1, $2, $3, $4, svc_clock(), svc_clock())`,
);
const ageProofs = sql(
  'test_page_age_proofs',
  `update sign_ins set proven_at = svc_clock() - interval '16 minutes'`,
);

/** Outside the range of ports that the system assigns, so that nobody takes it between choice and use. */
const pickPort = () => 20_000 + randomInt(12_000);

export class AccountTest {
  db!: TestDatabase;
  ports!: Ports;
  server!: TestServer;
  baseUrl = '';
  page!: Page;
  context!: BrowserContext;
  /** Violations of the page's policy and errors of the page: there must be none at each test's end. */
  violations: string[] = [];
  /** The metadata documents of applications, by address. */
  readonly documents = new Map<string, object>();
  #hash: string | undefined;
  #given: Partial<Ports> = {};

  async start(): Promise<void> {
    await buildPages();
    const [{ db, given = {} }] = await Promise.all([this.startParts(), sharedBrowser()]);
    this.db = db;
    this.#given = given;
    for (let attempt = 1; !(await this.#serve(pickPort())); attempt += 1) {
      if (attempt === 5) throw new Error('five ports were taken');
    }
  }

  /** The database, and the ports of other servers that run beside it. */
  protected async startParts(): Promise<{ db: TestDatabase; given?: Partial<Ports> }> {
    return { db: await freshDatabase() };
  }

  /**
   * Returns false when the port is taken. The port is chosen before listening, because responses contain
   * the address.
   */
  async #serve(port: number): Promise<boolean> {
    this.baseUrl = `http://localhost:${port}`;
    const { settings } = portsFor(this.db.database);
    const { baseUrl } = this;
    // Deliveries go only to this machine, and within this service only to its webhook testers.
    const webhooks = {
      allow: loopback,
      isOwn: (_: unknown, at: number) => at === port,
      ownReceiver: (url: string) => isTesterUrl(url, baseUrl),
    };
    this.ports = portsFor(this.db.database, {
      sealed: sealedFor(this.db.database),
      sendWebhook: webhookSender(webhooks),
      judgeWebhookUrl: webhookUrlJudge(webhooks),
      ...this.#given,
      settings: {
        ...settings,
        baseUrl,
        checkoutUrl: baseUrl,
        attemptLimits: contractLimits,
      },
    });
    this.server = await aServer(this.ports, {
      rows,
      mountOauth: openOauth({
        ports: this.ports,
        key: Buffer.alloc(32, 9),
        fetchDocument: async (url) => this.#document(url),
        log: { error: (message, facts) => void this.violations.push(`${message} ${facts.error}`) },
        isLimited: false,
      }),
      pagesDir: join(import.meta.dirname, '../dist'),
    });
    try {
      await this.server.listen('localhost', port);
      return true;
    } catch (error) {
      await this.server.close();
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
      throw error;
    }
  }

  /** Stops the service: the browser finds nobody at its address until `startAgain`. */
  stopService(): Promise<void> {
    return this.server.close();
  }

  /** Starts the service at the same address, with the same database. */
  async startAgain(): Promise<void> {
    if (!(await this.#serve(Number(new URL(this.baseUrl).port)))) throw new Error('port was taken');
  }

  #document(url: string) {
    const document = this.documents.get(url);
    return {
      status: document ? 200 : 404,
      body: Buffer.from(JSON.stringify(document ?? {})),
      headers: { 'content-type': 'application/json' },
    };
  }

  async stop(): Promise<void> {
    await this.server?.close();
    await this.db?.close();
  }

  /** Creates a person with a password who is signed in nowhere. */
  async person(given: { name?: string; hasPassword?: boolean } = {}): Promise<TestPerson> {
    const { name = 'Ada Lovelace', hasPassword = true } = given;
    const id = newId();
    const email = `${name.split(' ')[0]?.toLowerCase()}.${id.slice(-6)}@example.test`;
    this.#hash ??= await hashPassword(password, this.ports);
    const hash = hasPassword ? this.#hash : null;
    await this.db.database.write(insertPerson, [id, email, name, hash]);
    return { id, email, name };
  }

  merchant(name: string): Promise<TestClient> {
    return aClient(this.db.database, { name });
  }

  async join(person: TestPerson, client: TestClient, role: Role = 'owner'): Promise<void> {
    await joinClient(this.db.database, client, { person, role });
  }

  /** Makes everybody's last proof of identity too old for money and credentials. */
  async ageProofs(): Promise<void> {
    await this.db.database.transaction(everyClient, (tx) => tx.query(ageProofs, []));
  }

  async open(look: ScreenOptions = {}): Promise<Page> {
    await this.context?.close();
    this.page = await openWatchedPage({
      ...look,
      baseUrl: this.baseUrl,
      report: (violation) => this.violations.push(violation),
    });
    this.context = this.page.context();
    return this.page;
  }

  heading(text: string | RegExp) {
    return this.page.getByRole('heading', { level: 1, name: text });
  }
  button(name: string) {
    return this.page.getByRole('button', { name, exact: true });
  }
  alert() {
    return this.page.getByRole('alert');
  }

  /** Types address and password into the open sign-in form. */
  async signIn(person: TestPerson, given = password): Promise<void> {
    await this.page.getByLabel('Email address').fill(person.email);
    await this.page.getByLabel('Password').fill(given);
    await this.button('Sign in').click();
  }

  /** Opens an address of the pages as a person who has just signed in. */
  async visitAs(person: TestPerson, path = '/account', look?: ScreenOptions): Promise<Page> {
    const page = await this.open(look);
    await page.goto(`/account/sign-in?next=${encodeURIComponent(path)}`);
    await this.signIn(person);
    await page.waitForURL((url) => url.pathname === new URL(path, this.baseUrl).pathname);
    return page;
  }

  /** Opens a browser in which the person signed in `minutesAgo`. */
  async openAs(
    person: TestPerson,
    look: ScreenOptions & { minutesAgo?: number } = {},
  ): Promise<Page> {
    const page = await this.open(look);
    const { cookie } = await this.#signInOf(person, look.minutesAgo);
    const [name = '', value = ''] = cookie.split('=');
    await this.context.addCookies([{ name, value, url: this.baseUrl, httpOnly: true }]);
    return page;
  }

  #signInOf(person: TestPerson, minutesAgo = 0): Promise<TestSignIn> {
    return aSignIn(this.ports, person, { provenMinutesAgo: minutesAgo });
  }

  /** Makes a call from a browser of that person, as one of our pages would, without opening a page. */
  async callAs<T>(
    person: TestPerson,
    call: { method: string; path: string; body: unknown; clientId: string; key?: string },
  ): Promise<{ status: number; body: T }> {
    const response = await fetch(this.baseUrl + call.path, {
      method: call.method,
      headers: {
        ...fromOwnPage(await this.#signInOf(person), call.clientId),
        origin: this.baseUrl,
        'content-type': 'application/json',
        ...(call.key ? { 'idempotency-key': call.key } : {}),
      },
      body: JSON.stringify(call.body),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : null) as T };
  }

  /** Returns the newest mail to the person, and the link in it. */
  async mail(person: { readonly email: string }): Promise<{ text: string; link: string }> {
    const response = await fetch(`${this.baseUrl}/v1/sandbox/mails`);
    const { data } = (await response.json()) as { data: { to: string; text: string }[] };
    const text = data.find(({ to }) => to === person.email)?.text ?? '';
    return { text, link: /http:\S+#\S+/.exec(text)?.[0] ?? '' };
  }

  /** Makes a call from the page's own origin, as the browser sends it. */
  async call<T>(
    method: string,
    path: string,
    given: { body?: unknown; clientId?: string } = {},
  ): Promise<{ status: number; body: T }> {
    const { body, clientId } = given;
    const init = {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(clientId === undefined ? {} : { 'x-svc-client': clientId }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    return this.page.evaluate(
      async ([path, init]) => {
        const response = await fetch(path, init);
        const text = await response.text();
        return { status: response.status, body: (text ? JSON.parse(text) : null) as never };
      },
      [path, init] as const,
    );
  }

  /** Checks the page in each look: axe finds nothing, and nothing scrolls sideways. */
  async look(name: string): Promise<void> {
    const { page } = this;
    for (const [look, width, colorScheme, rules] of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await waitForTransitions(page);
      expect({ [`${name}, ${look}`]: await this.#faults(rules) }).toEqual({
        [`${name}, ${look}`]: [],
      });
      await this.shoot(`${name}-${look}`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1000, height: 800 });
  }

  /** Runs these rules of axe, or all when none is given. */
  async #faults(rules: readonly string[]): Promise<string[]> {
    const only = { runOnly: { type: 'rule', values: [...rules] } } as const;
    const found = await axeFindings(this.page, rules.length > 0 ? only : {});
    const told = found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target)}`);
    const isWide = await this.page.evaluate(
      () => document.documentElement.scrollWidth > innerWidth,
    );
    return isWide ? [...told, 'scrolls sideways'] : told;
  }

  /** With SVC_SHOTS=<folder> the page is also saved as a picture. */
  async shoot(name: string): Promise<void> {
    const folder = process.env.SVC_SHOTS;
    if (folder) await this.page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }
}

/** Sets up one AccountTest for a test file. */
export const accountTest = (): AccountTest => setUp(new AccountTest());

/** Starts the base before the tests of a file, and stops it after them. */
export function setUp<T extends AccountTest>(test: T): T {
  // Each state is checked three times, and by axe.
  vi.setConfig({ testTimeout: scaled(60_000) });
  beforeAll(() => test.start(), scaled(120_000));
  afterAll(() => test.stop());
  beforeEach(() => {
    test.violations = [];
  });
  afterEach(async () => {
    await test.context?.close();
    expect(test.violations).toEqual([]);
  });
  return test;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns the six digits of an authenticator with that key, `steps` of 30 seconds from now. RFC 6238. */
export function codeOf(secret: string, steps = 0): string {
  const bits = [...secret.replace(/[\s=]/g, '')]
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac('sha1', key).update(counter).digest();
  const at = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
