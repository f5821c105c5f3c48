// The documents: every link leads somewhere, and every decision is in the index under one number.

import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const pages = globSync('{*.md,{docs,libraries,examples}/**/*.md}', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/dist/**'],
});

const withoutCode = (text: string): string =>
  text.replace(/^ *```[\s\S]*?^ *```$/gm, '').replace(/`[^`\n]*`/g, '');

/** Returns the anchor of a heading: lower case, without punctuation, spaces as hyphens. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/\]\([^)]*\)/g, '')
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

function anchorsOf(file: string): Set<string> {
  const text = readFileSync(file, 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
  const named = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name = '']) => name);
  return new Set([...headings, ...named]);
}

/** Links of a page that lead nowhere. */
export function deadLinks(page: string): string[] {
  const file = join(root, page);
  const links = [...withoutCode(readFileSync(file, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)];
  return links.flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : resolve(dirname(file), decodeURIComponent(path));
    if (!existsSync(target)) return [link];
    const isThere = !anchor || !target.endsWith('.md') || anchorsOf(target).has(anchor);
    return isThere ? [] : [link];
  });
}

describe('documents', () => {
  it('there are many of them', () => {
    expect(pages.length).toBeGreaterThan(100);
  });

  it.each(pages)('%s: every link leads somewhere', (page) => {
    expect(deadLinks(page)).toEqual([]);
  });
});

describe('docs/decisions', () => {
  const folder = join(root, 'docs/decisions');
  const records = readdirSync(folder).filter((name) => name !== 'README.md');

  it('each has a number of its own, a line in the index, and says what enforces it', () => {
    const index = readFileSync(join(folder, 'README.md'), 'utf8');
    const numbers = records.map((name) => name.slice(0, 4));
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
    expect(records.filter((name) => index.split(`](${name})`).length !== 2)).toEqual([]);
    const texts = records.map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
    expect(
      texts.filter(([, text]) => !/\*\*Enforced by/i.test(text)).map(([name]) => name),
    ).toEqual([]);
  });
});
