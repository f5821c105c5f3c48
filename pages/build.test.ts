// The built pages: what payment pages owe by their rules, and their size.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildPages } from './build.ts';
import { languageCodes } from './checkout/texts/index.ts';

const pages = ['checkout', 'customer', 'account', 'dashboard'];
const dist = join(import.meta.dirname, 'dist');
const read = (name: string) => readFileSync(join(dist, name));

beforeAll(async () => {
  await buildPages();
});

describe('the pages as built', () => {
  it('inventories every script and style with purpose and hash, and the markup demands them', () => {
    const inventory = JSON.parse(read('integrity.json').toString()) as Record<string, string>[];
    const markups = pages.map((page) => read(`${page}/index.html`).toString());
    const inline = inventory.filter(({ name }) => name?.endsWith('.html'));
    const files = inventory.filter((each) => !inline.includes(each));
    expect(files.map(({ name }) => name)).toEqual(
      readdirSync(join(dist, 'assets')).map((name) => `assets/${name}`),
    );
    expect(inline.map(({ name }) => name)).toEqual(['checkout/index.html', 'dashboard/index.html']);
    for (const { name = '', integrity = '', purpose } of files) {
      const hash = createHash('sha384').update(read(name)).digest('base64');
      expect(integrity).toBe(`sha384-${hash}`);
      expect(purpose).toBeTruthy();
      const demanded = `"/${name}" integrity="${integrity}"`;
      expect(markups.filter((markup) => markup.includes(demanded))).toHaveLength(1);
    }
    const references = markups.map((markup) => [
      ...markup.matchAll(/<(?:script|link rel="stylesheet")[^>]*>/g),
    ]);
    expect(references.map(({ length }) => length)).toEqual([3, 2, 2, 3]);
    const words = markups.map((markup) =>
      [...markup.matchAll(/<link data-part="(\w\w)" href=[^>]*>/g)].map(([, code]) => code),
    );
    const others = languageCodes.filter((code) => code !== 'en');
    expect(words[0]).toEqual(others);
    // The words of the form beside its own.
    expect(words[1]).toEqual(others.flatMap((code) => [code, code]));
    expect(words.slice(2)).toEqual([[], []]);
    const buttons = markups.map((markup) => markup.match(/<link data-part="express" /g)?.length);
    expect(buttons).toEqual([1, 1, undefined, undefined]);
    const forms = markups.map((markup) => markup.match(/<link data-part="add-card" /g)?.length);
    expect(forms).toEqual([undefined, 1, undefined, undefined]);
    expect(files).toHaveLength(11 + words.flat().length);
  });

  it.each(pages)(
    '%s holds nothing that its policy refuses: no inline script but one of the inventory, no eval',
    (page) => {
      const own = /<script>(.*?)<\/script>/s.exec(read(`${page}/index.html`).toString());
      const hash = createHash('sha256')
        .update(own?.[1] ?? '')
        .digest('base64');
      expect(read('integrity.json').includes(`sha256-${hash}`)).toBe(own !== null);
      const markup = read(`${page}/index.html`)
        .toString()
        .replace(own?.[0] ?? '', '');
      expect(markup).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
      const script = scripts().map(({ bytes }) => bytes.toString());
      expect(script.join()).not.toMatch(/\beval\(|new Function\(|document\.write|fileName:/);
    },
  );

  it("the checkout's script stays within 31.5 kB compressed, the customer's within 26.9 and its card form within 15.2, the account's within 36, the dashboard's within 150, a language within 5, the express buttons within 1.3", () => {
    const limitOf = (name: string) => {
      if (/^account-[\w-]{8}\.js$/.test(name)) return 36_000;
      if (/^dashboard-[\w-]{8}\.js$/.test(name)) return 150_000;
      if (/^(customer-)?express-/.test(name)) return 1_300;
      if (/^customer-add-card-/.test(name)) return 15_200;
      if (/^customer-[\w-]{8}\.js$/.test(name)) return 26_900;
      return /^checkout-[\w-]{8}\.js$/.test(name) ? 31_500 : 5_000;
    };
    const sizes = scripts().map(({ name, bytes }) => ({
      name,
      isOver: gzipSync(bytes, { level: 9 }).length > limitOf(name),
    }));
    expect(sizes.filter(({ isOver }) => isOver)).toEqual([]);
    expect(sizes).toHaveLength(languageCodes.length + languageCodes.length * 2 + 4);
  });

  it("the dashboard's stylesheet stays within 25 kB compressed", () => {
    const styles = readdirSync(join(dist, 'assets')).filter((name) =>
      /^dashboard-.*css$/.test(name),
    );
    expect(styles).toHaveLength(1);
    const [name = ''] = styles;
    expect(gzipSync(read(`assets/${name}`), { level: 9 }).length).toBeLessThanOrEqual(25_000);
  });

  it('are not built again while its sources stand', async () => {
    expect(await buildPages()).toBe(false);
  });
});

const scripts = () =>
  readdirSync(join(dist, 'assets'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ name, bytes: read(`assets/${name}`) }));
