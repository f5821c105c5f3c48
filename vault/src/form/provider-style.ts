// How the text inside the provider's fields looks: frames inherit nothing, so it is read from the form's
// own style and handed over in the provider's words.
import type { StripeElementStyle } from '@stripe/stripe-js';
import * as view from './view.ts';

const fonts = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Open Sans", sans-serif';

function rgb(name: string): string | undefined {
  const colour = view.colourOf(name);
  return colour && `rgb(${colour.red}, ${colour.green}, ${colour.blue})`;
}

/** Values as they are now: the theme's, or the page's own. A field that is wrong keeps its text's colour. */
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
