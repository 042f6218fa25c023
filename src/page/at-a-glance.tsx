import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PageData } from '../report/html/page-data.ts';
import type { Tally } from '../report/html/tallies.ts';
import { barsOf, tallyInWords } from './bars.ts';

/** How bad it is, and where, without reading. */
export function AtAGlance({ data }: { readonly data: PageData }) {
  return (
    <section aria-labelledby="glance">
      <h2 id="glance">At a glance</h2>
      <ul class="tiles">
        {tilesOf(data).map(({ name, count, says, look }) => (
          <li key={name} class={count === 0 ? 'none' : ''}>
            <span class="count">{count.toLocaleString('en')}</span>
            <span class="what">
              {look === undefined ? undefined : <span class={`swatch ${look}`} />}
              {name}
            </span>
            <span class="says">{says}</span>
          </li>
        ))}
      </ul>
      <div class="plots">
        {data.tallies.map((tally) => (
          <Plot key={tally.title} tally={tally} />
        ))}
      </div>
    </section>
  );
}

interface Tile {
  readonly name: string;
  readonly count: number;
  readonly says: string;
  /** The colour in the plots. */
  readonly look?: string;
}

function tilesOf({ summary, counts, cluster, exempt, mutated }: PageData): readonly Tile[] {
  const { struck, error, warning, info, lucky } = counts;
  const ofCluster = (tile: Tile): readonly Tile[] => (cluster === undefined ? [] : [tile]);
  return [
    ...ofCluster({ name: 'struck now', count: struck, says: 'pods wait for a volume at this moment', look: 'struck' }),
    { name: error === 1 ? 'error' : 'errors', count: error, says: 'denied where a namespace enforces', look: 'error' },
    { name: warning === 1 ? 'warning' : 'warnings', count: warning, says: 'let in with a warning', look: 'warning' },
    ...(info === 0 ? [] : [{ name: 'info', count: info, says: 'good to know', look: 'info' }]),
    ...ofCluster({ name: 'lucky so far', count: lucky, says: 'of those before: as pods stand now' }),
    { name: 'not judged', count: summary.inconclusive, says: 'something is not known' },
    { name: 'exempt', count: exempt.all, says: 'somebody said why' },
    ...(mutated.all === 0 ? [] : [{ name: 'repaired', count: mutated.all, says: 'changed by the webhook' }]),
  ];
}

/** Drawn anew when its width changes. */
function Plot({ tally }: { readonly tally: Tally }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    let width = 0;
    const draw = (): void => {
      if (current.clientWidth === 0 || current.clientWidth === width) return;
      width = current.clientWidth;
      current.replaceChildren(barsOf(tally, width));
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(current);
    return () => observer.disconnect();
  }, [tally]);
  const { rows, sum } = tally.others;
  return (
    <figure>
      <figcaption>{tally.title}</figcaption>
      <div ref={place} class="bars" role="img" aria-label={tallyInWords(tally)} />
      {rows === 0 ? undefined : (
        <p class="others">
          and {rows} more with {sum.toLocaleString('en')} {tally.unit}
        </p>
      )}
    </figure>
  );
}
