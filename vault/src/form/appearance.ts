// The page's options for the form's appearance: known names and checked values, and a warning for each
// option that was not applied, so that typing mistakes are seen.
import type { Appearance } from '@svc/contract/vault/form-messages';

export type Theme = 'light' | 'dark';

/** The browser's reading of a CSS colour; undefined for any other text. */
export type ReadColour = (value: string) => Colour | undefined;
export type Colour = { readonly red: number; readonly green: number; readonly blue: number };

export type FormLook = {
  readonly theme: Theme | 'auto';
  readonly labels: 'above' | 'hidden';
  readonly density: 'comfortable' | 'compact';
  readonly variables: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
};

const colourNames: readonly string[] = ['accent', 'text', 'background', 'border', 'danger'];
const maxRadiusPx = 32;
const minFontPx = 16;
const maxFontPx = 24;

const pixelsOf = (value: string): number => {
  const match = /^(\d{1,3}(?:\.\d{1,3})?)(px|rem|em)?$/.exec(value.trim());
  if (!match) return Number.NaN;
  return Number(match[1]) * (match[2] === undefined || match[2] === 'px' ? 1 : 16);
};

/** Returns the value to set, or a sentence that states why it is not valid. */
function readVariable(
  name: string,
  value: string,
  readColour: ReadColour,
): { value: string } | { warning: string } {
  const label = `appearance.variables.${name.slice(0, 40)}`;
  if (colourNames.includes(name)) {
    return readColour(value)
      ? { value }
      : { warning: `${label} is ignored: it is no opaque CSS colour.` };
  }
  const pixels = pixelsOf(value);
  if (name === 'radius') {
    return pixels <= maxRadiusPx
      ? { value: `${pixels}px` }
      : { warning: `${label} is ignored: write a length up to ${maxRadiusPx}px.` };
  }
  if (name === 'fontSize') {
    return pixels >= minFontPx && pixels <= maxFontPx
      ? { value: `${pixels}px` }
      : {
          warning:
            `${label} is ignored: use a length from ${minFontPx}px to ${maxFontPx}px; ` +
            `below ${minFontPx}px phones zoom into the page.`,
        };
  }
  return { warning: `${label} is ignored: there is no such variable.` };
}

function choose<const T extends string>(
  wanted: string | undefined,
  choices: readonly T[],
  warn: (wanted: string) => void,
): T {
  const choice = choices.find((candidate) => candidate === wanted);
  if (wanted !== undefined && choice === undefined) warn(wanted.slice(0, 40));
  return choice ?? (choices[0] as T);
}

/** Returns everything of an `Appearance` that can be applied, and a warning for the rest. */
export function readAppearance(appearance: Appearance, readColour: ReadColour): FormLook {
  const warnings: string[] = [];
  const variables = new Map<string, string>();
  for (const [name, given] of Object.entries(appearance.variables ?? {})) {
    const read = readVariable(name, given, readColour);
    if ('value' in read) variables.set(name, read.value);
    else warnings.push(read.warning);
  }
  const known: readonly string[] = ['theme', 'variables', 'labels', 'density'];
  for (const name of Object.keys(appearance)) {
    if (!known.includes(name)) warnings.push(`appearance.${name.slice(0, 40)} is not supported.`);
  }
  const warn = (name: string) => (wanted: string) =>
    warnings.push(`appearance.${name} is ignored: there is no '${wanted}'.`);
  return {
    // The default is not `auto`: a frame learns what its reader prefers, but not what the page around it
    // looks like.
    theme: choose(appearance.theme, ['light', 'dark', 'auto'], warn('theme')),
    labels: choose(appearance.labels, ['above', 'hidden'], warn('labels')),
    density: choose(appearance.density, ['comfortable', 'compact'], warn('density')),
    variables,
    warnings,
  };
}

const channel = (value: number): number => {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
};

const luminance = ({ red, green, blue }: Colour): number =>
  0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);

/** Returns the contrast ratio of two colours, 1 to 21 (WCAG 2.2, relative luminance). */
export function contrast(one: Colour, other: Colour): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

const wantedContrasts: readonly (readonly [name: string, ratio: number])[] = [
  ['text', 4.5],
  ['danger', 4.5],
  ['border', 3],
  ['accent', 3],
];

/** Returns a sentence for each colour that is hard to see on the field's background. */
export function contrastWarnings(colourOf: (name: string) => Colour | undefined): string[] {
  const background = colourOf('background');
  const warnings: string[] = [];
  for (const [name, wanted] of background ? wantedContrasts : []) {
    const colour = colourOf(name);
    const ratio = colour && background ? contrast(colour, background) : wanted;
    if (ratio < wanted) {
      warnings.push(
        `appearance: '${name}' on 'background' has a contrast of ${Math.floor(ratio * 10) / 10}:1; ` +
          `people with low vision need ${wanted}:1.`,
      );
    }
  }
  return warnings;
}
