import { useState } from 'preact/hooks';
import type { PageData, PageOpen } from '../report/html/page-data.ts';
import { Story } from './story.tsx';

/** As many as are shown before somebody asks for all. */
const FIRST = 10;

/** What was not judged, because something is not known, and what may come of it. */
export function Open({ open: { shown, all } }: Pick<PageData, 'open'>) {
  const [isWhole, setWhole] = useState(false);
  if (all === 0) return undefined;
  const rows = isWhole ? shown : shown.slice(0, FIRST);
  return (
    <section aria-labelledby="open">
      <h2 id="open">Not judged</h2>
      <p class="told">
        Objects of which something is not known that decides
        {shown.length < all ? `; this file has room for ${shown.length} of ${all}` : ''}.
      </p>
      <ol class="findings">
        {rows.map((one) => (
          <OneOpen key={`${one.kind} ${one.namespace}/${one.name} ${one.rule} ${one.because}`} open={one} />
        ))}
      </ol>
      {shown.length > rows.length ? (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show all {shown.length}
        </button>
      ) : undefined}
    </section>
  );
}

function OneOpen({ open }: { readonly open: PageOpen }) {
  const [isOpen, setOpen] = useState(false);
  const { story, pictures, kind, namespace, name, because, at } = open;
  const says = (
    <>
      <h3>
        <span class="kind">{kind}</span> {namespace === undefined ? '' : `${namespace}/`}
        <wbr />
        {name}
      </h3>
      <p>{because}</p>
      {at === undefined ? undefined : <p class="how">{at}</p>}
    </>
  );
  if (story === undefined || story.length === 0) return <li class="finding plain">{says}</li>;
  return (
    <li class="finding">
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{says}</summary>
        {isOpen ? (
          <div class="inside">
            <h4>What may come of it</h4>
            <Story story={story} pictures={pictures ?? []} />
          </div>
        ) : undefined}
      </details>
    </li>
  );
}
