// Amounts, card digits and references: no translator may touch them.

type FixedProps = { text: string; part: string | null | undefined };

/** A sentence whose `part` stays as it is. */
export function Fixed({ text, part }: FixedProps) {
  const at = part ? text.indexOf(part) : -1;
  if (!part || at < 0) return <span key={text}>{text}</span>;
  return (
    <span key={text}>
      {text.slice(0, at)}
      <span translate={false}>{part}</span>
      {text.slice(at + part.length)}
    </span>
  );
}

/** What is an amount or a reference as a whole. */
export const Verbatim = ({ text }: { text: string }) => (
  <span key={text} translate={false}>
    {text}
  </span>
);
