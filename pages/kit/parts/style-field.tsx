// How a file is written.

export const styles = {
  spreadsheet: 'Spreadsheet, English',
  european: 'Spreadsheet, European',
  program: 'Program',
  json: 'JSON lines',
} as const;

export type Style = keyof typeof styles;

type StyleProps = {
  readonly label: string;
  readonly value: Style;
  readonly onChange: (style: Style) => void;
};

export const StyleField = ({ label, value, onChange }: StyleProps) => (
  <label class="field">
    <span>{label}</span>
    <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as Style)}>
      {Object.entries(styles).map(([name, title]) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </select>
  </label>
);
