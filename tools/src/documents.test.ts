// The documents: every link leads somewhere, and each page of decisions names what enforces it.

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
    expect(pages.length).toBeGreaterThan(60);
  });

  it.each(pages)('%s: every link leads somewhere', (page) => {
    expect(deadLinks(page)).toEqual([]);
  });
});

it.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])(
  '%s can be read in an editor',
  (page) => {
    const lines = readFileSync(join(root, page), 'utf8').split('\n');
    expect(lines.filter((line) => line.length > 130)).toEqual([]);
  },
);

describe('docs/decisions', () => {
  const folder = join(root, 'docs/decisions');
  const subjects = readdirSync(folder).filter((name) => name !== 'README.md');
  const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');
  const files = globSync('**/*.{ts,tsx,mjs,json}', {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**', '.*/**'],
  }).map((path) => `/${path}`);

  it('the index names each page once', () => {
    const index = textOf('README.md');
    expect(subjects.filter((name) => index.split(`](${name})`).length !== 2)).toEqual([]);
  });

  it.each(subjects)('%s has at most 800 words and ends with the files that enforce it', (name) => {
    const text = textOf(name);
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(800);
    expect([...text.matchAll(/^## (.*)$/gm)].at(-1)?.[1]).toBe('Enforced by');
    const named = [...text.matchAll(/`([\w./-]+\.(?:ts|tsx|mjs|json))`/g)].map(([, path]) => path);
    expect(named.filter((path) => !files.some((file) => file.endsWith(`/${path}`)))).toEqual([]);
  });

  it('the sources name pages that exist', () => {
    const dead = files.flatMap((file) => {
      if (!/\.tsx?$/.test(file)) return [];
      const mentions = readFileSync(join(root, file), 'utf8').matchAll(
        /docs\/decisions\/([\w-]+\.md)/g,
      );
      return [...mentions]
        .filter(([, page = '']) => !subjects.includes(page))
        .map(([link]) => [file, link]);
    });
    expect(dead).toEqual([]);
  });
});
