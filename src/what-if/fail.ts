import { Budget } from '../budget.ts';
import type { StorageMatrix } from '../facts/storage-backend.ts';
import { affected, type Fate, isWanted, longest, NOT_WANTED, step } from './affected.ts';
import { type Affected, type Answer, type Step, worstFirst } from './answer.ts';
import type { ClusterNow } from './cluster-now.ts';
import { MOST_OPERATIONS_OF_ALL, type Situation } from './come-up.ts';
import { type Evictions, evictionsFrom } from './evictions.ts';
import { isReplacedAtOnce, type Leaving, leavingFrom } from './keepers.ts';
import { asOfToday, nodesIn, SILENT } from './nodes-as-now.ts';
import { replacement } from './replacement.ts';
import { whyNot } from './why.ts';

/** `--node-monitor-grace-period` (`staging/src/k8s.io/cloud-provider/config` and `pkg/controller/nodelifecycle/config/v1alpha1/defaults.go`). */
const TAKEN_FOR_DEAD_AFTER = 50;

interface Failure {
  readonly cluster: ClusterNow;
  readonly situation: Situation;
  readonly evictions: ReadonlyMap<string, Evictions>;
}

/** What becomes of everything that runs on nodes that go silent together. */
export function ifFails(event: string, nodes: readonly string[], cluster: ClusterNow, matrix: StorageMatrix): Answer {
  const gone = new Set(nodes);
  const all = cluster.snapshot.nodes();
  const evictions = evictionsFrom(gone, all.known ? nodesIn(all.value) : [], cluster.ready);
  const snapshot = asOfToday(cluster.snapshot, ({ name }) => (gone.has(name) ? SILENT : []));
  const budget = new Budget(MOST_OPERATIONS_OF_ALL);
  const failure = { cluster, evictions, situation: { cluster, snapshot, matrix, gone, budget, stay: true } };
  return {
    event,
    nodes,
    affected: worstFirst(leavingFrom(nodes, cluster).map((leaving) => affectedBy(leaving, failure))),
    notes: [
      'That nodes have room is taken for granted. Times are those of the default flags of the controller manager.',
      ...[
        ...new Set(
          [...evictions.values()].flatMap((one) =>
            one.type === 'stopped' ? [`No pod is evicted: ${one.because}.`] : [],
          ),
        ),
      ],
    ],
  };
}

function affectedBy(leaving: Leaving, failure: Failure): Affected {
  return affected(leaving, fateOf(leaving, failure));
}

function fateOf(leaving: Leaving, failure: Failure): Fate {
  const { keeper, pods } = leaving;
  switch (keeper.type) {
    case 'kubelet':
      return { outcome: 'stays', because: 'a static pod belongs to its node', story: [] };
    case 'nobody':
      return { outcome: 'lost', because: 'nobody makes a bare pod again', story: evictionOf(pods, failure).story };
    case 'other':
      return {
        outcome: 'open',
        because: `what ${keeper.kind} ${keeper.name} does is not known`,
        story: evictionOf(pods, failure).story,
      };
    case 'workload':
      if (keeper.workload.kind === 'DaemonSet')
        return { outcome: 'stays', because: 'a pod of a DaemonSet belongs to its node', story: [] };
      return isWanted(keeper.workload) ? fateOfWorkload(leaving, failure) : NOT_WANTED;
    default:
      return keeper satisfies never;
  }
}

function fateOfWorkload({ keeper, pods }: Leaving, failure: Failure): Fate {
  if (keeper.type !== 'workload') return NOT_WANTED;
  const { workload } = keeper;
  const { cluster, situation } = failure;
  const eviction = evictionOf(pods, failure);
  const fenced = replacement(workload, pods, { ...situation, stay: false });
  if (fenced.ways === 'none') {
    const because = whyNot(fenced);
    return {
      outcome: 'cannot',
      because,
      story: [...eviction.story, step(`even once its old pods are gone: ${because}`)],
    };
  }
  const hangs = (because: string, story: readonly Step[], mayComeUp = false): Fate => ({
    ...{ outcome: 'hangs', because, mayComeUp },
    story: [...story, ...WAYS_OUT, ...(fenced.ways === 'all' ? [] : [step(`and then it depends: ${whyNot(fenced)}`)])],
  });
  if (eviction.at === undefined) return hangs(`its pods are not evicted: ${eviction.because}`, eviction.story);
  const [from, to] = eviction.at;
  if (!isReplacedAtOnce(workload, cluster)) {
    const because =
      workload.kind === 'StatefulSet'
        ? 'its pod is not made again while the old one is still Terminating'
        : 'its Job makes a pod again only once the old one has ended';
    return hangs(because, [...eviction.story, step(because, from, to)]);
  }
  const now = replacement(workload, pods, situation);
  const made = step(`its ${workload.kind} makes another pod at once`, from, to);
  const counted = workload.kind === 'Job' ? [step('and counts the old one as failed, up to its backoffLimit')] : [];
  if (now.ways !== 'all') {
    const because = whyNot(now);
    return hangs(
      because,
      [...eviction.story, made, ...counted, step(`it waits: ${because}`, from)],
      now.ways === 'some',
    );
  }
  return {
    outcome: 'comes-up',
    withinSeconds: to,
    because: 'another node takes it, and what it needs is there',
    story: [...eviction.story, made, ...counted, step('it starts on another node', from, to)],
  };
}

/** What is left to do once a node is silent (`pkg/controller/podgc/gc_controller.go`, `pkg/controller/volume/attachdetach/reconciler/reconciler.go`). */
const WAYS_OUT: readonly Step[] = [
  step('this lasts until one of these:'),
  step('- the node returns, and its kubelet ends the old pods'),
  step(
    '- its machine is off for certain, and somebody taints it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute: old pods that do not tolerate it go within 20 s, and volumes are detached at once',
  ),
  step('- its Node is deleted: old pods go within a minute, and volumes that were in use are detached 6 minutes later'),
  step(
    '- the old pods are deleted by force, which is safe only if the machine is off: volumes are detached 6 minutes later',
  ),
];

interface Eviction {
  /** From and until when its pods are deleted; absent where they are not. */
  readonly at: readonly [number, number] | undefined;
  readonly because: string;
  readonly story: readonly Step[];
}

function evictionOf(pods: readonly Leaving['pods'][number][], { evictions }: Failure): Eviction {
  const silent = step('its node stops answering', 0);
  const marked = step('the node is taken for dead, and marked node.kubernetes.io/unreachable', TAKEN_FOR_DEAD_AFTER);
  const stopped = pods.map(({ nodeName = '' }) => evictions.get(nodeName)).find((one) => one?.type === 'stopped');
  if (stopped?.type === 'stopped')
    return { at: undefined, because: stopped.because, story: [silent, step(stopped.because, TAKEN_FOR_DEAD_AFTER)] };
  if (pods.some(({ evictedAfter }) => evictedAfter === 'never')) {
    const because = 'they tolerate node.kubernetes.io/unreachable without an end';
    return { at: undefined, because, story: [silent, marked, step(`its pods stay as they are: ${because}`)] };
  }
  const late = longest(pods, ({ nodeName = '' }) => {
    const one = evictions.get(nodeName);
    return one?.type === 'go-on' ? one.lastAfterSeconds : 0;
  });
  const seconds = pods.map(({ evictedAfter }) => (evictedAfter === 'never' ? 0 : evictedAfter));
  const [from, to] = [TAKEN_FOR_DEAD_AFTER + Math.min(...seconds), TAKEN_FOR_DEAD_AFTER + late + Math.max(...seconds)];
  const deleted = step(
    'its pods there are deleted, and stay Terminating: no kubelet says that they have ended',
    from,
    to,
  );
  return { at: [from, to], because: '', story: [silent, marked, deleted] };
}
