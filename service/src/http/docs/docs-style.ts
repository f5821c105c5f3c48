/** The stylesheet of the reference: light and dark, from phone width up. */
export const docsStyle = `
:root { color-scheme: light dark; --ink: #16202c; --soft: #586577; --line: #dfe4ea; --background: #fff;
  --panel: #f6f8fa; --accent: #1f5fd0; --get: #0b7a53; --write: #9a4a00; --code: #f1f4f8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf1; --soft: #9aa7b6; --line: #2b3542;
  --background: #10161d; --panel: #171f29; --accent: #7db0ff; --get: #4cc79a; --write: #f0a868;
  --code: #1b2430; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--background); color: var(--ink); overflow-wrap: break-word;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus-visible, main :is(p, td, li, dd) a { text-decoration: underline; }
code, pre { font: 0.875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { background: var(--code); padding: 0.1em 0.35em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--code); padding: 0.9rem 1rem; border-radius: 8px; margin: 0.75rem 0;
  white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { background: none; padding: 0; }
.page { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto;
  padding: 1.5rem 1.25rem; border-right: 1px solid var(--line); background: var(--panel);
  font-size: 0.9rem; }
nav strong { display: block; font-size: 1.15rem; }
nav small { color: var(--soft); }
nav h2 { font-size: 0.75rem; text-transform: uppercase; letter-spacing: 0.06em; color: var(--soft);
  margin: 1.4rem 0 0.35rem; }
nav h2 a { color: inherit; }
.search { margin: 1rem 0; width: 100%; }
.search[hidden] { display: none; }
.search label { display: block; font-size: 0.875rem; font-weight: 600; }
.search kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 0.35em; color: var(--soft); }
.search input { width: 100%; padding: 0.45rem 0.6rem; font: inherit; color: inherit;
  background: var(--background); border: 1px solid var(--soft); border-radius: 6px; }
.search p { margin: 0.25rem 0; font-size: 0.8rem; color: var(--soft); }
tr:target, article:target { background: var(--code); }
td p { margin: 0 0 0.35rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 0.2rem 0; color: var(--ink); }
nav li small { display: block; font-size: 0.75rem; overflow-wrap: anywhere; }
main { padding: 2rem clamp(1rem, 4vw, 3.5rem) 5rem; max-width: 60rem; }
main h2, main h3, main p, main li { overflow-wrap: anywhere; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 0.5rem; }
main > section { margin-top: 3.5rem; }
main h2 { font-size: 1.5rem; padding-bottom: 0.4rem; border-bottom: 1px solid var(--line); }
main h3 { font-size: 1.15rem; margin: 2.5rem 0 0.4rem; }
main h4 { font-size: 0.8rem; text-transform: uppercase; letter-spacing: 0.05em; color: var(--soft);
  margin: 1.5rem 0 0.4rem; }
.lead { font-size: 1.1rem; color: var(--soft); }
.call { display: flex; gap: 0.6rem; align-items: baseline; padding: 0.6rem 0.8rem; margin: 0.6rem 0;
  background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
.call code { background: none; padding: 0; overflow-wrap: anywhere; }
.method { font-weight: 700; font-size: 0.8rem; color: var(--write); min-width: 3.2rem; }
.method.GET { color: var(--get); }
.facts { color: var(--soft); font-size: 0.9rem; margin: 0.4rem 0; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.45rem 0.8rem 0.45rem 0;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); }
td:first-child { white-space: nowrap; }
.errors td:first-child { white-space: normal; width: 15rem; }
.kind { color: var(--soft); }
.must { color: var(--write); font-size: 0.8rem; margin-left: 0.4rem; }
.codes { display: flex; flex-wrap: wrap; gap: 0.35rem; margin: 0; padding: 0; list-style: none; }
.codes a code { color: var(--accent); }
tr:target { background: var(--panel); outline: 2px solid var(--accent); }
main img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; }
nav details { margin-top: 0.7rem; }
nav summary { cursor: pointer; font-weight: 600; }
nav [aria-current] { font-weight: 700; }
.guides td:first-child { white-space: normal; }
.menu { display: none; }
@media (max-width: 56rem) {
  .page { display: block; }
  .guides { display: flex; flex-direction: column-reverse; }
  .guides nav { display: block; }
  .menu { display: block; margin-bottom: 1rem; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; align-items: baseline; padding: 1rem; }
  nav h2 { margin: 0; text-transform: none; letter-spacing: 0; font-size: 0.95rem; }
  nav h2 a { color: var(--accent); display: inline-block; padding: 0.35rem 0; }
  nav ul { display: none; }
  nav .search ul, nav details ul { display: block; }
  th, td { overflow-wrap: anywhere; padding-right: 0.5rem; }
  td:first-child { white-space: normal; min-width: 6rem; }
  .errors thead { display: none; }
  .errors tr { display: block; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  .errors td { display: inline-block; border-bottom: 0; padding: 0.1rem 0.6rem 0.1rem 0; }
  .errors td:first-child { width: auto; min-width: 0; }
  .errors td:last-child { display: block; padding-right: 0; }
  pre { font-size: 0.85rem; }
}
@media print { nav { display: none; } .page { display: block; } }
`;
