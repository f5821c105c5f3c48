// Amounts, card digits and references, which a translator must not change.

type FixedProps = { text: string; part: string | null | undefined };

/** A sentence in which `part` is not translated. */
export function TextWithFixedPart({ text, part }: FixedProps) {
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

/** A text that is an amount or a reference as a whole. */
export const Verbatim = ({ text }: { text: string }) => (
  <span key={text} translate={false}>
    {text}
  </span>
);
