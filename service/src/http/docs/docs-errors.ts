// The table of errors at /docs, where `docUrl` of an error points: what happened, why, what to do,
// and the guide with more.

import { errorType } from '@svc/contract/errors/error-types';
import { type ErrorCode, errorEntry, errors } from '@svc/contract/errors/errors';
import { type Html, html } from '../wire/html.ts';
import { type ErrorHelp, errorHelp } from './error-help.ts';
import { errorExample } from './openapi.ts';

const code = (text: string): Html => html`<code>${text}</code>`;

/** Returns the value of `code`: the specification gives some refusals none. */
export const nameOf = (each: ErrorCode): string => (errorEntry(each).isUnnamed ? 'null' : each);

/** Returns the address of a guide, which has the repository's text. */
const guidePath = (name: string): string => `/guides/${name}`;

const helpWith = ({ cause, remedy, guide }: ErrorHelp): Html =>
  html`<p><strong>Cause:</strong> ${cause}</p><p><strong>Remedy:</strong> ${remedy}</p>
      <p>Guide: <a href="${guidePath(guide)}">${guide}</a></p>`;

function errorRow(each: ErrorCode): Html {
  const { status, message, retryable, retryAfter } = errorEntry(each);
  const help = errorHelp.get(each);
  const wait = retryAfter === undefined ? '' : ` after ${retryAfter} s`;
  return html`<tr id="error-${each}"><td>${code(nameOf(each))}</td><td>${status}</td>
    <td class="kind">${errorType(status)}</td>
    <td><p>${message}${retryable ? ` Retry${wait}.` : ''}</p>
      ${help ? helpWith(help) : ''}</td></tr>`;
}

export function errorTable(baseUrl: string): Html {
  const codes = (Object.keys(errors) as ErrorCode[]).sort(
    (a, b) => errorEntry(a).status - errorEntry(b).status || (a < b ? -1 : 1),
  );
  return html`<section><h2 id="errors">Errors</h2>
    <p>Every failure is one flat object. Decide by ${code('code')}; ${code('message')} is for people.</p>
    <pre><code>${JSON.stringify(errorExample('payment_not_found', baseUrl), null, 2)}</code></pre>
    <div class="table"><table class="errors"><thead><tr><th>Code</th><th>Status</th><th>Type</th><th>What it means</th></tr></thead>
    <tbody>${codes.map(errorRow)}</tbody></table></div></section>`;
}
