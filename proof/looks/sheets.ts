// Pictures of a page in its four looks on one small sheet, and what differs between two sheets. Chromium itself
// shrinks, writes and reads them, in a page of its own without our policy.

import type { Page } from 'playwright-core';

export const looks = [
  { name: '1280 px, light', width: 1280, colorScheme: 'light' },
  { name: '1280 px, dark', width: 1280, colorScheme: 'dark' },
  { name: '390 px, light', width: 390, colorScheme: 'light' },
  { name: '390 px, dark', width: 390, colorScheme: 'dark' },
] as const;

/** A letter is less than a pixel then: another word or day changes a grey, another place or colour a block. */
const scale = 8;
const gap = 4;
/** Longer pages repeat their rows. */
export const longest = 2400;

/** Off by more than this, a pixel differs: another text within a line stays below, a border or a filled button does not. */
const channelTolerance = 40;
/** More differing pixels than this make another look: a line of text more or less is below, a block is above. */
const shareTolerance = 0.015;

const widths = looks.map(({ width }) => Math.round(width / scale));

/** Puts the screenshots of the looks side by side on one small PNG. */
export async function drawSheet(tool: Page, shots: readonly Buffer[]): Promise<Buffer> {
  const url = await tool.evaluate(
    async ([shots, widths, scale, gap]) => {
      const images = await Promise.all(
        shots.map(async (shot) => {
          const image = new Image();
          image.src = `data:image/png;base64,${shot}`;
          await image.decode();
          return image;
        }),
      );
      const canvas = document.createElement('canvas');
      canvas.width = widths.reduce((sum, width) => sum + width + gap, 0);
      canvas.height = Math.max(...images.map(({ height }) => Math.round(height / scale)));
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      context.imageSmoothingQuality = 'high';
      let left = 0;
      for (const [place, image] of images.entries()) {
        const width = widths[place] ?? 0;
        context.drawImage(image, left, 0, width, Math.round(image.height / scale));
        left += width + gap;
      }
      return canvas.toDataURL('image/png');
    },
    [shots.map((shot) => shot.toString('base64')), widths, scale, gap] as const,
  );
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

/** Returns the looks in which the sheets differ, each with the share of pixels that do. */
export async function compareSheets(tool: Page, before: Buffer, now: Buffer): Promise<string[]> {
  const shares = await tool.evaluate(
    async ([sheets, widths, gap, channelTolerance]) => {
      const [before, now] = await Promise.all(
        sheets.map(async (sheet) => {
          const image = new Image();
          image.src = `data:image/png;base64,${sheet}`;
          await image.decode();
          return image;
        }),
      );
      const height = Math.max(before?.height ?? 0, now?.height ?? 0);
      /** The pixels of a look; those below the end of a shorter page are transparent. */
      const pixelsOf = (image: HTMLImageElement | undefined, left: number, width: number) => {
        const canvas = Object.assign(document.createElement('canvas'), { width, height });
        const context = canvas.getContext('2d') as CanvasRenderingContext2D;
        if (image) context.drawImage(image, -left, 0);
        return context.getImageData(0, 0, width, height).data;
      };
      let left = 0;
      return widths.map((width) => {
        const [one, other] = [pixelsOf(before, left, width), pixelsOf(now, left, width)];
        left += width + gap;
        let [all, differing] = [0, 0];
        for (let at = 0; at < one.length; at += 4) {
          const alphas = [one[at + 3] ?? 0, other[at + 3] ?? 0];
          if (Math.max(...alphas) === 0) continue;
          all += 1;
          const isOff = [0, 1, 2, 3].some(
            (channel) =>
              Math.abs((one[at + channel] ?? 0) - (other[at + channel] ?? 0)) > channelTolerance,
          );
          if (isOff) differing += 1;
        }
        return all === 0 ? 1 : differing / all;
      });
    },
    [
      [before, now].map((sheet) => sheet.toString('base64')),
      widths,
      gap,
      channelTolerance,
    ] as const,
  );
  return looks.flatMap(({ name }, place) => {
    const share = shares[place] ?? 1;
    return share > shareTolerance ? `${name}: ${(share * 100).toFixed(1)} % differ` : [];
  });
}

/** The widths of a sample in the fonts that the pages ask for: fonts of other widths break lines elsewhere. */
export const measureFonts = (tool: Page): Promise<number[]> =>
  tool.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
    return ['400 16px system-ui', '650 16px system-ui', '400 13px monospace'].map((font) => {
      context.font = font;
      return Math.round(context.measureText('Payments €1,234.56 Ada Lovelace').width * 10) / 10;
    });
  });
