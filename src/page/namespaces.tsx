import type { PageData } from '../report/html/page-data.ts';
import { Listing } from './listing.tsx';

/** Who would be denied what in a cluster that enforces. */
export function Namespaces({ namespaces }: Pick<PageData, 'namespaces'>) {
  return (
    <Listing
      id="namespaces"
      title="If every namespace enforced"
      says="Objects that would be denied, or warned of, if they were created in a namespace of mode enforce."
      rows={namespaces}
      columns={[
        { head: 'Namespace', cell: ({ name }) => name },
        { head: 'Team', cell: ({ team }) => team ?? '–' },
        { head: 'Mode now', cell: ({ mode }) => mode ?? 'not known' },
        { head: 'Workloads', cell: ({ workloads }) => workloads, isNumber: true },
        { head: 'Denied', cell: ({ denied }) => denied, isNumber: true },
        { head: 'Warned', cell: ({ warned }) => warned, isNumber: true },
        { head: 'Not judged', cell: ({ open }) => open, isNumber: true },
      ]}
    />
  );
}
