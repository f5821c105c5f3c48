// The only stylesheet of a receipt, for phone screens and for printing.

export const receiptStyle = `:root{color-scheme:light dark;--ink:#1b1b1f;--soft:#55555e;--line:#d5d5dc;--background:#fff;--band:#ffe08a;--band-ink:#3b2c00}
@media (prefers-color-scheme:dark){:root{--ink:#ececf1;--soft:#b3b3bf;--line:#3d3d47;--background:#16161a}}
*{box-sizing:border-box}
body{margin:0;background:var(--background);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
.mode{margin:0;padding:.5rem 1rem;background:var(--band);color:var(--band-ink);text-align:center;font-weight:600}
main{max-width:40rem;margin:0 auto;padding:1.5rem 1rem 3rem}
.seller{margin:0;font-weight:600}
.address{margin:0;color:var(--soft);white-space:pre-line}
h1{margin:.25rem 0 1.5rem;font-size:1.5rem;line-height:1.25}
table{width:100%;border-collapse:collapse}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{padding:.5rem 0;border-bottom:1px solid var(--line);text-align:end;font-weight:400;vertical-align:top}
th:first-child{text-align:start}
thead th{color:var(--soft);font-size:.875rem}
td{padding-inline-start:.75rem;font-variant-numeric:tabular-nums;white-space:nowrap}
.total{display:flex;justify-content:space-between;margin:1rem 0 1.5rem;font-size:1.25rem}
dl{margin:0}
dl div{display:flex;flex-wrap:wrap;gap:0 1rem;padding:.25rem 0}
dt{flex:0 0 9rem;color:var(--soft)}
dd{flex:1 1 12rem;margin:0}
@media screen{.more{margin-top:1.5rem;color:var(--soft)}.more a{color:inherit}}
@media print{.more{display:none}:root{--ink:#000;--soft:#333;--line:#999;--background:#fff}main{padding:0;max-width:none}.mode{border:1px solid #000;background:none;color:#000}}
`;
