import { useState } from 'preact/hooks';
import type { Shown } from '../report/html/page-data.ts';

/** Rows that are shown before somebody asks for all. */
const FIRST = 10;

export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => string | number | undefined;
  readonly isNumber?: boolean;
}

interface ListingProps<T> {
  readonly id: string;
  readonly title: string;
  readonly says: string;
  readonly rows: Shown<T>;
  readonly columns: readonly Column<T>[];
}

/** A table below a heading; nothing where it has no rows. */
export function Listing<T>({ id, title, says, rows: { shown, all }, columns }: ListingProps<T>) {
  const [isWhole, setWhole] = useState(false);
  if (all === 0) return undefined;
  const rows = isWhole ? shown : shown.slice(0, FIRST);
  const left = all - shown.length;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="told">{says}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <div class="scrolls" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(({ head, isNumber }) => (
                <th key={head} scope="col" class={isNumber ? 'number' : ''}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                {columns.map(({ head, cell, isNumber }) => (
                  <td key={head} class={isNumber ? 'number' : ''}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length > rows.length ? (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show all {shown.length}
        </button>
      ) : undefined}
      {left > 0 && isWhole ? <p class="told">This file has no room for {left} more.</p> : undefined}
    </section>
  );
}
