import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browser, sharedBrowser, systemBrowser, unpackBrowser } from './browser.ts';
import { systemFirefox } from './firefox.ts';
import { scaled } from './machine.ts';

const packaged = process.platform === 'linux' && process.arch === 'x64';
const servers: Server[] = [];
let chromium: Browser;

/** Serves one page on its own origin. */
async function serve(host: string, html: () => string): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html());
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://${host}:${(server.address() as AddressInfo).port}/`;
}

beforeAll(async () => {
  chromium = await sharedBrowser();
}, scaled(120_000));
afterAll(() => {
  for (const server of servers) server.close();
});

describe('browser', () => {
  it('renders a page, with letters that have a width', async () => {
    const page = await chromium.newPage();
    await page.goto(await serve('localhost', () => '<h1><span>Payments</span></h1>'));
    expect(await page.getByRole('heading').textContent()).toBe('Payments');
    const box = await page.locator('span').boundingBox();
    expect(box!.width).toBeGreaterThan(50);
    expect((await page.screenshot()).length).toBeGreaterThan(1000);
  });

  it('two browsers at once', async () => {
    const both = await Promise.all([browser(), browser()]);
    const titles = await Promise.all(
      both.map(async (one) => {
        const page = await (await one.newContext()).newPage();
        await page.setContent('<title>here</title>');
        return page.title();
      }),
    );
    expect(titles).toEqual(['here', 'here']);
    await Promise.all(both.map((one) => one.close()));
  });

  it('a page cannot read a frame of another origin', async () => {
    const frame = await serve('127.0.0.1', () => '<input id="number" value="4242424242424242">');
    const shop = await serve('localhost', () => `<iframe src="${frame}"></iframe>`);
    const page = await chromium.newPage();
    await page.goto(shop);
    await page.frameLocator('iframe').locator('#number').waitFor();
    // Passed as text, because the tools are type-checked without the browser's types.
    const seen = await page.evaluate(`(() => {
      const { contentDocument, contentWindow } = document.querySelector('iframe');
      try {
        return [contentDocument, contentWindow.document.body.innerHTML];
      } catch (error) {
        return [contentDocument, error.name];
      }
    })()`);
    expect(seen).toEqual([null, 'SecurityError']);
  });

  it('a page cannot fetch from another origin that does not allow it', async () => {
    const other = await serve('127.0.0.1', () => 'secret');
    const page = await chromium.newPage();
    await page.goto(await serve('localhost', () => ''));
    const answer = page.evaluate((url) => fetch(url).then((got) => got.text()), other);
    await expect(answer).rejects.toThrow(/Failed to fetch/);
  });
});

/** Returns the command line of every process. */
function commands(): string[] {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-axww', '-o', 'command='], { encoding: 'utf8' }).stdout.split('\n');
  }
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : [];
    } catch {
      return [];
    }
  });
}

describe('sharedBrowser', () => {
  it('is one for all that ask, and another once it has gone', async () => {
    const [one, two] = await Promise.all([sharedBrowser(), sharedBrowser()]);
    expect(two).toBe(one);
    await one.close();
    const next = await sharedBrowser();
    expect(next.isConnected()).toBe(true);
    chromium = next;
  });

  it.each([
    ['SIGTERM', 0],
    ['SIGKILL', 1],
  ] as const)('ends with its process at %s; profiles left: %i', async (signal, profiles) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-browser-'));
    const code = `import { sharedBrowser } from ${JSON.stringify(join(import.meta.dirname, 'browser.ts'))};
      await (await (await sharedBrowser()).newContext()).newPage();
      console.log('open');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const countOwnCommands = () =>
      commands().filter((line) => line.includes(`${folder}/playwright`)).length;
    try {
      await once(child.stdout, 'data');
      expect(countOwnCommands()).toBeGreaterThan(0);
      child.kill(signal);
      await once(child, 'exit');
      await expect.poll(countOwnCommands).toBe(0);
      const left = readdirSync(folder).filter((name) => name.includes('profile'));
      expect(left).toHaveLength(profiles);
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('systemBrowser', () => {
  it('refuses a CHROMIUM that does not exist', () => {
    process.env.CHROMIUM = '/nowhere/chromium';
    try {
      expect(() => systemBrowser()).toThrow(/CHROMIUM names \/nowhere\/chromium/);
    } finally {
      delete process.env.CHROMIUM;
    }
  });
});

describe('systemFirefox', () => {
  it('refuses a FIREFOX that does not exist', () => {
    process.env.FIREFOX = '/nowhere/firefox';
    try {
      expect(() => systemFirefox()).toThrow(/FIREFOX names \/nowhere\/firefox/);
    } finally {
      delete process.env.FIREFOX;
    }
  });
});

describe.runIf(packaged)('unpackBrowser', () => {
  it(
    'twice at once: both get the same complete folder, nothing is left beside',
    async () => {
      const cache = mkdtempSync(join(tmpdir(), 'svc-browser-'));
      try {
        const [one, two] = await Promise.all([unpackBrowser(cache), unpackBrowser(cache)]);
        expect(one).toBe(two);
        expect(readdirSync(cache)).toHaveLength(1);
        expect(readdirSync(one)).toEqual(expect.arrayContaining(['al2023', 'chromium', 'fonts']));
        expect(readdirSync(join(one, 'al2023/lib'))).toContain('libnss3.so');
      } finally {
        rmSync(cache, { recursive: true });
      }
      // Twice 200 MB to unpack and write.
    },
    scaled(120_000),
  );
});
