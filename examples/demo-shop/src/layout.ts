import { type Html, html } from './html.ts';
import type { State } from './orders.ts';

export type Page = {
  readonly title: string;
  readonly path: '/' | '/orders' | '/webhooks' | '/thanks';
  readonly body: Html;
  /** Loads this address after so many seconds: how a page without scripts follows a change. */
  readonly refresh?: { readonly seconds: number; readonly url: string } | undefined;
};

const links = [
  ['/', 'Shop'],
  ['/orders', 'Orders'],
  ['/webhooks', 'Webhooks'],
] as const;

/** A whole page. */
export function layout(page: Page): string {
  const nav = links.map(([path, name]) => {
    const current = path === page.path && html` aria-current="page"`;
    return html`<a href="${path}"${current}>${name}</a>`;
  });
  const refresh =
    page.refresh &&
    html`<meta http-equiv="refresh" content="${page.refresh.seconds};url=${page.refresh.url}">`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refresh || null}
<title>${page.title} · Quiet Cup</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/shop.css">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
  <a class="brand" href="/"><img src="/favicon.svg" alt="" width="30" height="30">Quiet Cup</a>
  <nav aria-label="Main">${nav}</nav>
</header>
<p class="sandbox"><strong>Demo shop.</strong> Test cards only: no real money moves, nothing is shipped.</p>
<main id="main">${page.body}</main>
<footer>A merchant’s own site, on its own origin. It opens a checkout session, sends the buyer to the hosted page and fulfils only on a verified webhook.</footer>
</body>
</html>
`.text;
}

/** A state as a small labelled mark; the word says it, the colour repeats it. */
export const badge = (state: Pick<State, 'tone' | 'word'>): Html =>
  html`<span class="badge ${state.tone}">${state.word}</span>`;

/** An instant for people, in UTC. */
export function moment(iso: string): Html {
  const text = iso.slice(0, 19).replace('T', ' ');
  return html`<time datetime="${iso}">${text} UTC</time>`;
}

/** A page with one message: an error, a refusal, an empty place. */
export const notice = (parts: {
  title: string;
  text: string;
  code?: string | undefined;
}): Html => html`
<section class="panel narrow">
  <h1>${parts.title}</h1>
  <p>${parts.text}</p>
  ${parts.code ? html`<p class="quiet">Code <code>${parts.code}</code></p>` : null}
  <p><a class="button" href="/">Back to the shop</a></p>
</section>`;
