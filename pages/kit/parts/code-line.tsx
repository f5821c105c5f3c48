// A command with a button to copy it.

import { CopyButton } from './inputs.tsx';

export const CodeLine = ({ children, about }: { children: string; about: string }) => (
  <div class="code-copy">
    <code class="code-line">{children}</code>
    <CopyButton text={children} about={about} />
  </div>
);
