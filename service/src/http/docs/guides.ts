// The repository's documents as a site: a page for each, a menu, and the sections for its search. The files are those
// that a reader of the repository sees. docs/decisions/packages.md says why they are rendered here.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { version } from '@svc/contract/version';
import { Marked, type Token, type Tokens } from 'marked';
import { Html, html } from '../wire/html.ts';
import { guidesSearch } from './docs-search.ts';

const root = join(import.meta.dirname, '../../../..');
/** The documents beside docs/. */
export const documents: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
];

const imagesFolder = 'docs/guides/images';

/** The parts of the menu, by the folder of their files. */
const parts: Readonly<Record<string, string>> = {
  '.': 'Start',
  'docs/guides': 'Guides',
  'docs/operating': 'Running it',
  'docs/reference': 'Reference',
  docs: 'Words and status',
  'docs/spec': 'Specification',
  'docs/decisions': 'Decisions',
};

type Entry = {
  readonly href: string;
  readonly title: string;
  readonly note: string;
  readonly text: string;
};
type Page = { readonly file: string; readonly path: string; readonly title: string };

/** What is served under /guides. */
export type Site = {
  readonly paths: readonly string[];
  /** Undefined for a path that the site has not. */
  read(
    path: string,
  ): Promise<{ readonly type: string; readonly content: string | Buffer } | undefined>;
  /** The page for every other path. */
  readonly missing: string;
};

/** The names of the guides, without their extension. */
export const guideNames: readonly string[] = readdirSync(join(root, 'docs/guides'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length));

/** `docs/guides/webhooks.md` is /guides/webhooks, `docs/operating/keys.md` /guides/operating/keys. */
function pathOf(file: string): string {
  const name = file.replace(/^docs\/(guides\/)?/, '').replace(/\.md$/, '');
  return posix.join('/guides', name.replace(/(^|\/)README$/, '').toLowerCase());
}

/** The anchor of a heading, as code hosts make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

const plainOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens ? plainOf(token.tokens) : 'text' in token ? token.text : '',
    )
    .join('');

function listPages(): Page[] {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => `docs/${file.replaceAll('\\', '/')}`);
  const listed = [...documents, ...inDocs].map((file) => {
    const [, title = file] = /^# (.*)$/m.exec(readFileSync(join(root, file), 'utf8')) ?? [];
    return { file, path: pathOf(file), title: title.replaceAll('`', '') };
  });
  // The search shows what it finds in this order.
  return Object.keys(parts).flatMap((part) => listed.filter(({ file }) => dirname(file) === part));
}

/** The address on the site that a document's link leads to; undefined when the site does not have the file. */
function leadOf(link: string, from: string, pages: ReadonlyMap<string, Page>): string | undefined {
  if (/^[a-z]+:|^#/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const file = posix.normalize(posix.join(posix.dirname(from), decodeURIComponent(path)));
  if (/\.(png|svg)$/.test(file)) return file.replace(/^docs\/(guides\/)?/, '/guides/');
  const page = pages.get(file);
  return page && page.path + (anchor === undefined ? '' : `#${anchor}`);
}

/** Renders a document; adds its sections to the entries of the search. */
function renderPage({ file, path, title }: Page, pages: Map<string, Page>, entries: Entry[]): Html {
  let open: { -readonly [Key in keyof Entry]: Entry[Key] } | undefined;
  const seen = new Map<string, number>();
  const marked = new Marked({
    walkTokens: (token) => {
      if (token.type === 'heading') {
        const heading = plainOf((token as Tokens.Heading).tokens);
        const anchor = anchorOf(heading);
        const before = seen.get(anchor) ?? 0;
        seen.set(anchor, before + 1);
        const id = before === 0 ? anchor : `${anchor}-${before}`;
        Object.assign(token, { id });
        open = { href: `${path}#${id}`, title: heading, note: title, text: '' };
        entries.push(open);
      } else if (open && 'text' in token && !('tokens' in token && token.tokens)) {
        open.text += ` ${token.text}`;
      }
    },
    renderer: {
      heading(token) {
        const { id = '' } = token as { id?: string };
        const text = new Html(this.parser.parseInline(token.tokens));
        const tag = new Html(`h${token.depth}`);
        return html`<${tag} id="${id}">${text}</${tag}>`.text;
      },
      link({ href, tokens }) {
        const text = new Html(this.parser.parseInline(tokens));
        const lead = leadOf(href, file, pages);
        return lead === undefined ? text.text : html`<a href="${lead}">${text}</a>`.text;
      },
      image: ({ href, text }) =>
        html`<img src="${leadOf(href, file, pages) ?? ''}" alt="${text}">`.text,
      // A wide table scrolls by itself.
      table(token) {
        const line = (cells: readonly Tokens.TableCell[], tag: Html) =>
          html`<tr>${cells.map(
            ({ tokens }) => html`<${tag}>${new Html(this.parser.parseInline(tokens))}</${tag}>`,
          )}</tr>`;
        return html`<div class="table" tabindex="0"><table><thead>${line(token.header, new Html('th'))}</thead>
          <tbody>${token.rows.map((row) => line(row, new Html('td')))}</tbody></table></div>`.text;
      },
    },
  });
  return new Html(marked.parse(readFileSync(join(root, file), 'utf8'), { async: false }));
}

const layout = (page: Page, body: Html, pages: readonly Page[]): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.path === '/guides' ? 'Svc guides' : `${page.title} · Svc guides`}</title>
<link rel="stylesheet" href="/docs/style.css"></head>
<body><div class="page guides">
<nav id="menu-of-guides" aria-label="Documents"><strong><a href="/guides">Svc guides</a></strong><small>${version}</small>
  <form class="search" role="search" hidden><label for="search-field">Search <kbd>/</kbd></label>
  <input id="search-field" type="search" autocomplete="off" spellcheck="false"><p role="status"></p><ul></ul></form>
  ${Object.entries(parts).map(([folder, name]) => {
    const own = pages.filter(({ file }) => dirname(file) === folder);
    return html`<details${new Html(dirname(page.file) === folder ? ' open' : '')}><summary>${name}</summary><ul>${own.map(
      ({ path, title }) =>
        html`<li><a href="${path}"${new Html(path === page.path ? ' aria-current="page"' : '')}>${title}</a></li>`,
    )}</ul></details>`;
  })}
  <p><a href="/docs">API reference</a></p></nav>
<main><a class="menu" href="#menu-of-guides">All guides, and search</a>${body}</main></div><script type="module" src="/guides/search.js"></script></body></html>`
    .text;

const missing: Page = { file: '', path: '', title: 'No such page' };
const missingBody = html`<h1>${missing.title}</h1>
<p>There is no guide at this address. <a href="/guides">All guides</a></p>`;

/** Opens the site; a page is rendered when it is asked for. Throws for two documents of one path. */
export function openSite(): Site {
  const listed = listPages();
  const byFile = new Map(listed.map((page) => [page.file, page]));
  const pages = new Map(listed.map((page) => [page.path, page]));
  if (pages.size < listed.length) throw new Error('two documents have one path');
  const images = readdirSync(join(root, imagesFolder)).map((name) => `/guides/images/${name}`);
  return {
    missing: layout(missing, missingBody, listed),
    paths: [...pages.keys(), ...images, '/guides/search.json', '/guides/search.js'],
    async read(path) {
      const page = pages.get(path);
      if (page) {
        const content = layout(page, renderPage(page, byFile, []), listed);
        return { type: 'text/html; charset=utf-8', content };
      }
      if (images.includes(path)) {
        const content = readFileSync(join(root, imagesFolder, posix.basename(path)));
        return { type: 'image/png', content };
      }
      if (path === '/guides/search.js') {
        return { type: 'text/javascript; charset=utf-8', content: guidesSearch };
      }
      if (path !== '/guides/search.json') return undefined;
      const entries: Entry[] = [];
      for (const each of listed) {
        // Requests are served in between.
        await setImmediate();
        renderPage(each, byFile, entries);
      }
      return { type: 'application/json; charset=utf-8', content: JSON.stringify(entries) };
    },
  };
}
