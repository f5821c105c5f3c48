// The merchant's page in React (react-page.ts) as a shop serves it: bundled with React's development
// build, whose StrictMode takes every effect back once.

import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** The page's files by path: type and text. `/page-react.js` is imported. */
export async function bundleReactPage(): Promise<Record<string, [string, string]>> {
  const build = await rolldown({
    input: join(import.meta.dirname, 'react-page.ts'),
    platform: 'browser',
    checks: { moduleLevelDirective: false },
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
  });
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: 'page-react.js',
    chunkFileNames: 'parts/[name].js',
  });
  await build.close();
  const files: Record<string, [string, string]> = {};
  for (const part of output) {
    if (part.type === 'chunk') files[`/${part.fileName}`] = ['text/javascript', part.code];
  }
  return files;
}
