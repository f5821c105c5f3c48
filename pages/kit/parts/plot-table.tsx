import type { ComponentChildren } from 'preact';

type PlotTableProps = {
  /** Names the table for people who cannot see it. */
  readonly label: string;
  readonly columns: readonly string[];
  readonly foot?: ComponentChildren;
  /** The rows. */
  readonly children: ComponentChildren;
};

/** A table of figures, with the numbers of a plot or without one. */
export const PlotTable = ({ label, columns, foot, children }: PlotTableProps) => (
  <div class="plot-table">
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
      {foot && <tfoot>{foot}</tfoot>}
    </table>
  </div>
);
