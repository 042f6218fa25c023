import type { PageData } from '../report/html/page-data.ts';
import { AtAGlance } from './at-a-glance.tsx';
import { Beside } from './beside.tsx';
import { Findings } from './findings.tsx';
import { Namespaces } from './namespaces.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

/** The whole report. */
export function ReportPage({ data }: { readonly data: PageData }) {
  return (
    <>
      <header>
        <div class="head">
          <div>
            <p class="kicker">ReadWriteOnce volumes and rollouts</p>
            <h1>{data.title}</h1>
            <p class="subtitle">{subtitle(data)}</p>
          </div>
          <ThemeSwitch />
        </div>
      </header>
      <main>
        <AtAGlance data={data} />
        <Findings data={data} />
        <Namespaces namespaces={data.namespaces} />
        <Beside data={data} />
      </main>
      <footer>
        Made by {data.madeBy}. This file is the whole report: it loads nothing and sends nothing. It names objects of
        the cluster, so share it with people who may know them.
      </footer>
    </>
  );
}

function subtitle({ cluster, summary }: PageData): string {
  const { objects, workloads } = summary;
  const parts = [
    ...(cluster === undefined ? [] : [`read ${cluster.readAt.replace('T', ' ').replace('Z', ' UTC')}`]),
    ...(cluster?.namespace === undefined ? [] : [`namespace ${cluster.namespace}`]),
    ...(cluster?.nodes === undefined ? [] : [counted(cluster.nodes, 'node')]),
    counted(workloads, 'workload'),
    ...(cluster?.claims === undefined ? [] : [counted(cluster.claims, 'claim')]),
    ...(cluster === undefined ? [counted(objects, 'object')] : []),
  ];
  return parts.join(' · ');
}

export function counted(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}
