// The fields that a list is filtered by, as the reference names them.

import { operators, operatorsOf, type RowShape } from '@svc/contract/row';
import { type Html, html } from '../wire/html.ts';

const code = (text: string): Html => html`<code>${text}</code>`;

/** The fields, and the operators of those that take others than the rest. */
export const filterNames = ({ filters = {} }: RowShape): readonly Html[] =>
  Object.entries(filters).map(([field, schema], i) => {
    const ops = operatorsOf(schema);
    const only = ops === operators ? '' : html` (${code(ops.join(' '))})`;
    return html`${i === 0 ? '' : ', '}${code(field)}${only}`;
  });
