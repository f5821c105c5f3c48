// The page that a person sees when an authorization request cannot be returned to its application:
// unknown application, another redirect URI, an expired link.

import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';

const htmlEntities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const safe = (text: string): string => text.replace(/[&<>"']/g, (mark) => htmlEntities[mark] ?? '');

export async function renderError(ctx: KoaContextWithOIDC, out: ErrorOut): Promise<void> {
  const { error, error_description: description = '' } = out;
  ctx.type = 'html';
  ctx.set(
    'content-security-policy',
    "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
  );
  ctx.body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>This request cannot be answered</title>
<link rel="stylesheet" href="/docs/style.css">
<main>
<h1>This request cannot be answered</h1>
<p>The application asked for access in a way that we cannot follow, and we do not send you back to
an address that we cannot check. Start again at the application.</p>
<p>For its makers: <code>${safe(error)}</code> ${safe(description)}</p>
</main>
</html>
`;
}
