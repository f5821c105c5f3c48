// The merchant's colour on the pay button. The text on it has the contrast of WCAG 2.2 AA (1.4.3) with any
// colour: black or white always does, because the product of their two contrasts is 21.

export type Brand = {
  /** The button, its text, the button under the pointer, and the button while it waits. */
  readonly '--brand': string;
  readonly '--on-brand': string;
  readonly '--brand-deep': string;
  readonly '--brand-pale': string;
  /** A border for a button whose colour is close to the panel's, in each theme (1.4.11). */
  readonly '--brand-edge-light': string;
  readonly '--brand-edge-dark': string;
};

type Rgb = readonly [red: number, green: number, blue: number];

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];
/** `--panel` of checkout.css in both themes. */
const panels = { light: white, dark: [0x17, 0x1b, 0x22] as Rgb };

/** Parses `#rrggbb`; null for anything else. */
function readColor(text: string | null | undefined): Rgb | null {
  if (!text || !/^#[0-9a-f]{6}$/i.test(text)) return null;
  const colourPart = (at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  return [colourPart(1), colourPart(3), colourPart(5)];
}

const writeColor = (color: Rgb): string =>
  `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** WCAG 2.2, relative luminance. */
function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, contrast ratio: 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const mix = (color: Rgb, other: Rgb, share: number): Rgb => [
  color[0] + (other[0] - color[0]) * share,
  color[1] + (other[1] - color[1]) * share,
  color[2] + (other[2] - color[2]) * share,
];

/** The button's colours for the page's style; null when the page's own colours apply. */
export function brandOf(brandColor: string | null | undefined): Brand | null {
  const color = readColor(brandColor);
  if (!color) return null;
  const isWhiteReadable = contrast(color, white) >= 4.5;
  // Changes away from the text's colour, so that hovering and waiting only add contrast.
  const away = isWhiteReadable ? black : white;
  const edgeColour = (panel: Rgb) =>
    contrast(color, panel) < 3 ? 'var(--line-strong)' : 'transparent';
  return {
    '--brand': writeColor(color),
    '--on-brand': writeColor(isWhiteReadable ? white : black),
    '--brand-deep': writeColor(mix(color, away, 0.16)),
    '--brand-pale': writeColor(mix(color, away, 0.32)),
    '--brand-edge-light': edgeColour(panels.light),
    '--brand-edge-dark': edgeColour(panels.dark),
  };
}
