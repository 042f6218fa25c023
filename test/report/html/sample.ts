import type { ReportedFinding, ReportedOpen, Standing } from '../../../src/report/report.ts';
import type { ScannedNamespace, ScanReport } from '../../../src/report/scan-report.ts';
import type { Finding } from '../../../src/rules/evaluate.ts';
import type { Story } from '../../../src/stories/told.ts';
import { everyTold } from '../../stories/told-fixtures.ts';

const NAMESPACES = [
  'shop',
  'payments',
  'observability',
  'search',
  'ml-training',
  'gitlab',
  'identity',
  'mail',
  'wiki',
  'ci',
];
const TEAMS = ['storefront', 'payments', 'platform', undefined];
const APPS = [
  'postgres',
  'grafana',
  'prometheus',
  'redis',
  'elasticsearch-data',
  'jenkins',
  'web',
  'minio',
  'nexus3',
  'wordpress',
];

const TOLD = everyTold().flatMap(({ stories }) => stories);
const JUDGED = TOLD.filter(({ finding }) => finding.judges !== 'open');

/** What `scan` could say of a cluster with so many findings: those of the fixtures, under names as people give them. */
export function sampleScan(count: number): ScanReport {
  const findings = Array.from({ length: count }, (_, index) => {
    const one = JUDGED[(index * 7) % JUDGED.length];
    if (one === undefined) throw new Error('there are no fixtures');
    return findingOf(one, index);
  });
  const inconclusive = TOLD.flatMap(({ finding, story }, index) =>
    finding.judges === 'open' ? [openOf(finding, story, index)] : [],
  );
  const counted = (severity: string) => findings.filter((finding) => finding.severity === severity).length;
  return {
    findings,
    inconclusive,
    ...{ unreadable: [], ignored: [] },
    notes: ['2 workloads are not judged: Argo Rollout shop/canary, Argo Rollout shop/blue'],
    summary: {
      ...{ objects: 1204, workloads: 418, error: counted('error'), warning: counted('warning'), info: counted('info') },
      ...{ ignored: 2, inconclusive: inconclusive.length },
    },
    cluster: {
      ...{ name: 'prod-eu-1', readAt: '2026-11-22T16:00:00Z', nodes: 24, claims: 603 },
      claimsByDriver: [
        { driver: 'ebs.csi.aws.com', claims: 412 },
        { driver: 'efs.csi.aws.com', claims: 120 },
        { driver: 'unbound', claims: 41 },
        { driver: 'rancher.io/local-path', claims: 30 },
      ],
    },
    namespaces: NAMESPACES.map((name, index): ScannedNamespace => {
      const own = findings.filter(({ resource }) => resource.namespace === name);
      const denied = own.filter(({ severity }) => severity === 'error').length;
      const mode = (['enforce', 'warn', undefined, 'off'] as const)[index % 4];
      return {
        name,
        team: TEAMS[index % 4],
        mode,
        workloads: own.length * 2,
        denied,
        warned: own.length - denied,
        open: index,
      };
    }),
    exempt: [
      {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'wiki', name: 'wiki' },
        ...{ rules: ['rollout-deadlock'], reason: 'moves to object storage in spring', until: '2027-03-31' },
      },
    ],
    mutated: [
      {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
        ...{ mutation: 'strategy RollingUpdate became Recreate', isAskedFor: false },
      },
    ],
    unseen: [
      {
        list: 'persistentvolumes',
        because: 'the API server says Forbidden: list persistentvolumes at the cluster scope',
        leavesOpen: 'which driver a volume is of, and where it can be used',
      },
    ],
  };
}

interface ToldFinding {
  readonly finding: Finding;
  readonly story: Story;
}

function findingOf({ finding, story }: ToldFinding, index: number): ReportedFinding {
  const { rule, severity, claims, reason, why, fix, or, object } = finding;
  const name = `${APPS[index % APPS.length]}-${Math.floor(index / APPS.length)}`;
  return {
    ...{ rule, severity, claims, also: [], message: `${reason}: ${why}`, fix: fix.written, or },
    resource: { apiVersion: 'apps/v1', kind: object.kind, namespace: NAMESPACES[(index * index) % 10] ?? '', name },
    assumed: index % 5 === 0 ? ['claim data is a disk for one node at a time'] : [],
    related: [],
    now: standingOf(index),
    story: story.lines,
    pictures: story.pictures,
    fingerprint: `fingerprint-${index}`,
  };
}

function standingOf(index: number): Standing {
  if (index % 40 === 3)
    return { state: 'struck', because: 'pod web-7d9f-x2k4l waits on node-b since 16:02, with Multi-Attach' };
  if (index % 4 === 0) return { state: 'lucky', because: 'both of its pods run on node-a' };
  return { state: 'armed', because: '' };
}

function openOf({ rule, detail, object }: Finding, { lines, pictures }: Story, index: number): ReportedOpen {
  const resource = { apiVersion: 'apps/v1', kind: object.kind, namespace: 'search', name: `index-${index}` };
  return { rule, resource, because: detail, story: lines, pictures };
}
