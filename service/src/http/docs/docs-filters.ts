// The fields by which a list can be filtered, as the reference names them.

import { operators, operatorsOf, type RowShape } from '@svc/contract/rows/row';
import { type Html, html } from '../wire/html.ts';

const code = (text: string): Html => html`<code>${text}</code>`;

/** Lists the fields, with the operators of those that do not take the usual ones. */
export const filterNames = ({ filters = {} }: RowShape): readonly Html[] =>
  Object.entries(filters).map(([field, schema], i) => {
    const ops = operatorsOf(schema);
    const only = ops === operators ? '' : html` (${code(ops.join(' '))})`;
    return html`${i === 0 ? '' : ', '}${code(field)}${only}`;
  });
