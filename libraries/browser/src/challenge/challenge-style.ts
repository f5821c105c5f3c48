// A box on a wide screen, the whole screen on a phone. Colours use the variable names of the form.

export const challengeStyle = `
dialog {
  --accent: #3b5bdb; --text: #1a1d26; --background: #fff; --border: #8790a3; --danger: #c4262e;
  --radius: 10px;
  width: min(480px, 100vw - 32px); height: min(680px, 100dvh - 48px);
  max-width: none; max-height: none; padding: 0; overflow: hidden; box-sizing: border-box;
  border: 1px solid var(--border); border-radius: 16px;
  background: var(--background); color: var(--text);
  font: 16px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Open Sans", sans-serif;
  box-shadow: 0 24px 64px -16px rgb(0 0 0 / 45%);
}
dialog[data-theme=dark] {
  --accent: #8ea6ff; --text: #f1f3f8; --background: #1b1f2a; --border: #6f788d; --danger: #ff8f8a;
  color-scheme: dark;
}
@media (prefers-color-scheme: dark) {
  dialog[data-theme=auto] {
    --accent: #8ea6ff; --text: #f1f3f8; --background: #1b1f2a; --border: #6f788d; --danger: #ff8f8a;
    color-scheme: dark;
  }
}
dialog[open] { display: flex; flex-direction: column }
dialog::backdrop { background: rgb(10 13 20 / 55%) }
[hidden] { display: none !important }
header { display: flex; align-items: center; gap: 10px; padding-block: 8px;
  padding-inline: 20px 12px; border-bottom: 1px solid var(--border) }
h2 { flex: 1; margin: 0; font-size: 17px; font-weight: 600; line-height: 1.3 }
p { margin: 0 }
button { min-height: 44px; padding: 0 16px; border: 1px solid var(--border);
  border-radius: var(--radius); background: var(--background); color: var(--text);
  font: inherit; font-weight: 600; cursor: pointer }
.quiet { padding: 0 10px; border-color: transparent; color: var(--accent) }
.danger { border-color: var(--danger); color: var(--danger) }
button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.stop { padding: 14px 20px 16px; border-bottom: 1px solid var(--border) }
.ways { display: flex; flex-wrap: wrap; gap: 10px; margin-top: 12px }
.page { position: relative; display: flex; flex: 1; min-height: 0 }
/* A bank's page brings its own colours, or none: white is what it was made for. */
iframe { flex: 1; width: 100%; border: 0; background: #fff; color-scheme: light }
.wait { position: absolute; inset: 0; display: flex; align-items: center; justify-content: center;
  gap: 10px; padding: 20px; background: var(--background) }
.spinner { flex: none; width: 18px; height: 18px; border: 2px solid var(--border);
  border-top-color: var(--accent); border-radius: 50%; animation: turn 0.9s linear infinite }
@keyframes turn { to { transform: rotate(1turn) } }
@media (prefers-reduced-motion: reduce) { .spinner { animation: none } }
.foot { padding: 12px 20px; border-top: 1px solid var(--border); font-size: 14px }
a { color: var(--accent) }
.small { height: fit-content }
.small .page { display: none }
.small .foot { padding: 20px; border: 0; font-size: 16px }
.small a { display: block; width: fit-content; margin-top: 16px; padding: 10px 16px; font-weight: 600;
  border: 1px solid var(--border); border-radius: var(--radius); text-decoration: none }
@media (max-height: 520px) {
  header { padding-block: 2px }
  .foot { padding-block: 6px }
}
@media (max-width: 520px), (max-height: 520px) {
  dialog:not(.small) { width: 100vw; height: 100dvh; border: 0; border-radius: 0 }
}`;
