// The text style inside the provider's fields. Frames inherit nothing, so the style is read from the form
// and passed on with the provider's property names.
import type { StripeElementStyle } from '@stripe/stripe-js';
import * as view from './view.ts';

const fonts = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Open Sans", sans-serif';

function rgb(name: string): string | undefined {
  const colour = view.colourOf(name);
  return colour && `rgb(${colour.red}, ${colour.green}, ${colour.blue})`;
}

/** Uses the current values of the theme or of the page. A wrong field keeps its text colour. */
export function elementStyle(): StripeElementStyle {
  const [color, faint] = [rgb('text'), rgb('faint')];
  return {
    base: {
      ...(color ? { color } : {}),
      fontFamily: fonts,
      fontSize: getComputedStyle(view.frameElement()).fontSize,
      fontVariant: 'tabular-nums',
      letterSpacing: '0.01em',
      ...(faint ? { '::placeholder': { color: faint } } : {}),
    },
    invalid: color ? { color } : {},
  };
}
