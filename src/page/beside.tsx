import type { PageData, PageMutation } from '../report/html/page-data.ts';
import { Listing } from './listing.tsx';
import { Open } from './open.tsx';

/** What there is to know beside the findings: what stayed open, what does not count, what was changed, what was not seen. */
export function Beside({ data }: { readonly data: PageData }) {
  const { unseen, unreadable, open, exempt, mutated, notes } = data;
  return (
    <>
      <Listing
        id="unseen"
        title="Not seen"
        says="Lists that were not answered, so that something stays open."
        rows={unseen}
        columns={[
          { head: 'List', cell: ({ list }) => list },
          { head: 'Because', cell: ({ because }) => because },
          { head: 'Nobody can tell', cell: ({ leavesOpen }) => leavesOpen },
        ]}
      />
      <Listing
        id="unreadable"
        title="Not readable"
        says="Parts of the input that could not be read."
        rows={unreadable}
        columns={[
          { head: 'Where', cell: ({ at }) => at },
          { head: 'Because', cell: ({ because }) => because },
        ]}
      />
      <Open open={open} />
      <Listing
        id="exempt"
        title="Exempt"
        says="What does not count, because somebody said so."
        rows={exempt}
        columns={[
          { head: 'Object', cell: ({ object }) => object },
          { head: 'Rules', cell: ({ rules }) => rules.join(', ') },
          { head: 'Reason', cell: ({ reason }) => reason },
          { head: 'Until', cell: ({ until }) => until ?? 'no end' },
        ]}
      />
      <Listing
        id="mutated"
        title="Repaired by the webhook"
        says="Objects that were changed when they were applied."
        rows={mutated}
        columns={[
          { head: 'Object', cell: ({ object }) => object },
          { head: 'What was done', cell: ({ mutation }) => mutation },
          { head: 'Namespace asks for it', cell: askedFor },
        ]}
      />
      <Listing
        id="notes"
        title="Notes"
        says="What else there is to tell."
        rows={notes}
        columns={[{ head: 'Note', cell: (note) => note }]}
      />
    </>
  );
}

function askedFor({ isAskedFor }: PageMutation): string {
  if (isAskedFor === undefined) return 'not known';
  return isAskedFor ? 'yes' : 'no longer';
}
