import { barX, plot, text } from '@observablehq/plot';
import type { Tally, TallyRow, Weight } from '../report/html/tallies.ts';

/** Where a name has its place beside the bar, and where there is room only above it. */
const BESIDE = { row: 27, name: 218, top: 6, bottom: 6 };
const ABOVE = { row: 42, name: 0, top: 21, bottom: 7 };
const LEAST_FOR_BESIDE = 440;

/** Pixels of a letter's size, by which Plot measures lines. */
const EM = 13;
/** For the number behind the longest bar. */
const NUMBER = 52;

/** One bar for each row, with its parts by how grave they are. */
export function barsOf({ rows }: Tally, width: number): Element {
  const parts = rows.flatMap(({ name, parts: some }) => some.map((part) => ({ name, ...part })));
  const { row, name, top, bottom } = width < LEAST_FOR_BESIDE ? ABOVE : BESIDE;
  const y = 'name';
  const bars = plot({
    width,
    height: rows.length * row,
    margin: 0,
    marginLeft: name,
    marginRight: NUMBER,
    x: { axis: null, domain: [0, Math.max(1, ...rows.map(({ sum }) => sum))] },
    y: { axis: null, type: 'band', domain: rows.map((one) => one.name), padding: 0 },
    color: { type: 'identity' },
    marks: [
      barX(parts, {
        ...{ x: 'count', y, fill: ({ weight }: { readonly weight: Weight }) => `var(--${weight})` },
        ...{ insetTop: top, insetBottom: bottom, insetRight: 1, rx: 2 },
      }),
      text(rows, {
        ...{
          y,
          text: 'name',
          frameAnchor: 'left',
          dx: -name,
          dy: name === 0 ? -9 : 0,
          fontSize: EM,
          fill: 'currentColor',
        },
        ...{ lineWidth: ((name || width) - 14) / EM, textOverflow: 'ellipsis', title: 'name' },
      }),
      text(rows, {
        ...{ x: 'sum', y, text: ({ sum }: { readonly sum: number }) => sum.toLocaleString('en') },
        ...{ textAnchor: 'start', dx: 6, dy: (top - bottom) / 2, fontSize: EM, fontWeight: 600, fill: 'currentColor' },
      }),
    ],
  });
  // The page allows no styles but its own, in which these stand.
  bars.querySelector('style')?.remove();
  // What they are in words stands around them.
  for (const part of bars.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
  return bars;
}

/** What the bars show, for who hears them. */
export function tallyInWords({ title, unit, rows, others }: Tally): string {
  const all = rows.map(({ name, parts }) => `${name} ${parts.map(partInWords).join(', ')}`);
  const more = others.rows === 0 ? [] : [`${others.rows} more with ${others.sum} ${unit}`];
  return `${title}: ${[...all, ...more].join('; ')}`;
}

function partInWords({ weight, count }: TallyRow['parts'][number]): string {
  switch (weight) {
    case 'struck':
      return `${count} struck now`;
    case 'error':
    case 'warning':
      return `${count} ${weight}${count === 1 ? '' : 's'}`;
    case 'info':
      return `${count} info`;
    case 'count':
      return `${count}`;
    default:
      return weight satisfies never;
  }
}
