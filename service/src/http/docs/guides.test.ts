import { describe, expect, it } from 'vitest';
import { openSite } from './guides.ts';

const open = openSite();
const site = new Map(
  await Promise.all(
    open.paths.map(async (path) => {
      const { type = '', content = '' } = (await open.read(path)) ?? {};
      return [path, { type, content }] as const;
    }),
  ),
);
const pages = [...site].filter(([, { type }]) => type.startsWith('text/html'));
const textOf = (path: string) => String(site.get(path)?.content);
const attributes = (text: string, name: string) =>
  [...text.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);
/** What the service serves beside the guides. */
const others = ['/docs', '/docs/style.css', '/guides/search.js'];

describe('the guides', () => {
  it('have a page for each document, by the path of its file', () => {
    const paths = pages.map(([path]) => path);
    for (const path of ['', '/webhooks', '/operating/keys', '/decisions', '/spec/contract']) {
      expect(paths).toContain(`/guides${path}`);
    }
    expect(paths.length).toBeGreaterThan(80);
  });

  it.each(pages.map(([path]) => path))('%s: every link and picture is there', (path) => {
    const text = textOf(path);
    const ids = attributes(text, 'id');
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...attributes(text, 'href'), ...attributes(text, 'src')];
    const dead = links.filter((link) => {
      if (/^(https?|mailto):/.test(link) || others.includes(link)) return false;
      const [to = '', anchor] = link.split('#');
      const target = to === '' ? path : to;
      if (!site.has(target)) return true;
      return anchor !== undefined && !attributes(textOf(target), 'id').includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('the search knows each section, by a link that leads to it', () => {
    const entries = JSON.parse(textOf('/guides/search.json')) as { href: string; text: string }[];
    expect(entries.length).toBeGreaterThan(600);
    for (const { href } of entries) {
      const [path = '', id = ''] = href.split('#');
      expect([href, attributes(textOf(path), 'id').includes(id)]).toEqual([href, true]);
    }
    const found = entries.filter(({ text }) => text.includes('pg_dump'));
    expect(found.map(({ href }) => href.split('#')[0])).toContain('/guides/operating/recovery');
  });
});

it('a code stands as it is written', () => {
  expect(textOf('/guides/webhooks')).toContain('<code class="language-');
  expect(textOf('/guides/reference/server-library')).toContain('Record&lt;string, unknown&gt;');
});
