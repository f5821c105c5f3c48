// The shop's own drawings. Colours come from the style sheet, so they follow dark mode.

import { type Html, html } from './html.ts';

const beans = html`
  <path class="shade" d="M58 52h84l8 112a10 10 0 0 1-10 10H60a10 10 0 0 1-10-10z"/>
  <path class="main" d="M58 52h84l3 42H55z"/>
  <path class="ink" d="M54 34h92a4 4 0 0 1 4 4v14H50V38a4 4 0 0 1 4-4z"/>
  <circle class="paper" cx="100" cy="126" r="27"/>
  <g class="ink">
    <ellipse cx="92" cy="124" rx="9" ry="14" transform="rotate(-24 92 124)"/>
    <ellipse cx="109" cy="129" rx="9" ry="14" transform="rotate(18 109 129)"/>
  </g>
  <g class="line-paper">
    <path d="M87 112c6 6 0 15 9 24"/><path d="M113 116c-7 7 0 16-8 26"/>
  </g>`;

const mug = html`
  <g class="line steam"><path d="M80 30c-8 10 8 14 0 26"/><path d="M102 24c-8 12 8 18 0 32"/></g>
  <path class="line-thick" d="M134 88h12a20 20 0 0 1 0 44h-14"/>
  <path class="main" d="M48 70h88v72a28 28 0 0 1-28 28H76a28 28 0 0 1-28-28z"/>
  <path class="shade" d="M48 112h88v30a28 28 0 0 1-28 28H76a28 28 0 0 1-28-28z"/>
  <ellipse class="ink" cx="92" cy="71" rx="44" ry="9"/>
  <path class="line-paper" d="M66 92v26"/>`;

const grinder = html`
  <path class="line-thick" d="M100 46V30h44"/>
  <circle class="ink" cx="148" cy="30" r="9"/>
  <path class="shade" d="M64 62a36 18 0 0 1 72 0v12H64z"/>
  <path class="ink" d="M58 74h84l-14 26H72z"/>
  <rect class="main" x="56" y="100" width="88" height="72" rx="8"/>
  <rect class="paper" x="70" y="124" width="60" height="34" rx="4"/>
  <circle class="ink" cx="100" cy="141" r="5"/>
  <path class="ink" d="M52 168h96v6a4 4 0 0 1-4 4H56a4 4 0 0 1-4-4z"/>`;

const parcel = html`
  <path class="main" d="M46 74l54-26 54 26v70l-54 26-54-26z"/>
  <path class="shade" d="M100 100l54-26v70l-54 26z"/>
  <path class="line-paper" d="M72 62l54 26v24"/>`;

const drawings: Readonly<Record<string, Html>> = { 'coffee-beans': beans, mug, grinder };

/** The picture of a product; decorative, since the name stands beside it. */
export function picture(code: string): Html {
  const drawing = Object.hasOwn(drawings, code) ? drawings[code] : parcel;
  return html`<svg class="picture" viewBox="0 0 200 200" aria-hidden="true">${drawing}</svg>`;
}

export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#9c4a1a"/><g fill="none" stroke="#fff8ee" stroke-width="2.6" stroke-linecap="round"><path d="M8 12h13v7a6 6 0 0 1-6 6h-1a6 6 0 0 1-6-6z"/><path d="M21 14h2a3 3 0 0 1 0 7h-2"/></g></svg>`;
