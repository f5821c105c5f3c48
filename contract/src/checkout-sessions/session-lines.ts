// The lines of a cart, as they are sent and as they are shown. Contract §3.

import { Type } from 'typebox';
import { intervals } from '../catalog/catalog.ts';
import { amount, currency, input, nullable, oneOf, text } from '../rows/schema.ts';
import { ownLineFields } from './checkout-sessions-parts.ts';

export const Line = Type.Object({
  ...ownLineFields,
  name: Type.String(),
  quantity: Type.Integer(),
  totalAmount: amount(
    "Unit price times quantity, before discounts; the amount of a line of the merchant's own.",
  ),
  overrideAmount: nullable(amount('Set by the merchant in place of totalAmount.')),
  currency: currency(),
  interval: nullable(oneOf(intervals, 'How often a subscription renews; null for items.')),
});

export const Totals = Type.Unsafe<{
  subtotal: number;
  discount: number;
  total: number;
  currency: string;
} | null>({
  type: ['object', 'null'],
  properties: {
    subtotal: { type: 'number' },
    discount: { type: 'number' },
    total: { type: 'number' },
    currency: { type: 'string' },
  },
  required: ['subtotal', 'discount', 'total', 'currency'],
});

const SessionLine = input({
  code: Type.Optional(
    text(100, { description: "A product's code; left out for a line of the merchant's own." }),
  ),
  quantity: Type.Integer({ minimum: 1, maximum: 10_000 }),
  totalAmount: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1e12,
      description: 'Must equal the catalog price.',
    }),
  ),
  currency: Type.Optional(currency()),
  name: Type.Optional(
    nullable(
      Type.String({
        maxLength: 250,
        description:
          "What the buyer reads. Beside a code only the merchant's credential may set another name than the catalog's.",
      }),
    ),
  ),
  overrideAmount: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1e12 }))),
  amount: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1e12,
      description:
        "What a line of the merchant's own comes to, all of its quantity; with the merchant's credential.",
    }),
  ),
  description: Type.Optional(text(500, { description: "Of a line of the merchant's own." })),
  imageUrl: Type.Optional(
    Type.String({
      maxLength: 2048,
      description: "The https address of one image file, for a line of the merchant's own.",
    }),
  ),
  reference: Type.Optional(
    text(255, { description: "Your own reference of a line of the merchant's own." }),
  ),
});

export const sessionLines = () => Type.Array(SessionLine, { minItems: 1, maxItems: 100 });
export const couponCodes = () => Type.Array(text(100), { maxItems: 20 });
