import { Budget } from '../budget.ts';
import type { StorageMatrix } from '../facts/storage-backend.ts';
import type { RunningPod } from '../objects/running-pod.ts';
import { matchesSelector } from '../objects/selector.ts';
import { affected, type Fate, isWanted, longest, NOT_WANTED, step } from './affected.ts';
import { type Answer, worstFirst } from './answer.ts';
import type { ClusterNow } from './cluster-now.ts';
import { MOST_OPERATIONS_OF_ALL, type Situation } from './come-up.ts';
import { type Leaving, leavingFrom } from './keepers.ts';
import { asOfToday, CORDONED } from './nodes-as-now.ts';
import { replacement } from './replacement.ts';
import { whyNot } from './why.ts';

/** So often a kubelet says which volumes it uses (`pkg/kubelet/apis/config/v1beta1/defaults.go`: `NodeStatusUpdateFrequency`). */
const UNMOUNTED_WITHIN = 10;

/** What becomes of everything that runs on a node that is drained by `kubectl drain`. */
export function ifDrained(node: string, cluster: ClusterNow, matrix: StorageMatrix): Answer {
  const gone = new Set([node]);
  const snapshot = asOfToday(cluster.snapshot, ({ name }) => (gone.has(name) ? CORDONED : []));
  const situation = { cluster, snapshot, matrix, gone, stay: false, budget: new Budget(MOST_OPERATIONS_OF_ALL) };
  const leaving = leavingFrom(gone, cluster)
    .map(({ keeper, pods }) => ({ keeper, pods: pods.filter(({ deleting }) => !deleting) }))
    .filter(({ pods }) => pods.length > 0);
  const { budgets } = cluster;
  return {
    event: `${node} is drained`,
    nodes: [node],
    affected: worstFirst(leaving.map((one) => affected(one, fateOf(one, situation)))),
    notes: [
      'That other nodes have room is taken for granted. To detach a volume and attach it elsewhere takes a driver seconds, some of them minutes.',
      ...(budgets.known ? [] : [`Whether PodDisruptionBudgets block it is not known: ${budgets.because}.`]),
    ],
  };
}

function fateOf(leaving: Leaving, situation: Situation): Fate {
  const { keeper, pods } = leaving;
  switch (keeper.type) {
    case 'kubelet':
      return { outcome: 'stays', because: 'a drain leaves static pods alone', story: [] };
    case 'nobody':
      return {
        outcome: 'blocked',
        because: 'kubectl drain refuses bare pods without --force, and with it nobody makes it again',
        story: [],
      };
    case 'other':
      return blockedOr(pods, situation, {
        outcome: 'open',
        because: `what ${keeper.kind} ${keeper.name} does is not known`,
        story: [],
      });
    case 'workload':
      if (keeper.workload.kind === 'DaemonSet')
        return { outcome: 'stays', because: 'a drain leaves pods of DaemonSets alone', story: [] };
      if (!isWanted(keeper.workload)) return NOT_WANTED;
      return blockedOr(pods, situation, fateOfWorkload(leaving, situation));
    default:
      return keeper satisfies never;
  }
}

function fateOfWorkload({ keeper, pods }: Leaving, situation: Situation): Fate {
  if (keeper.type !== 'workload') return NOT_WANTED;
  const { workload } = keeper;
  const grace = longest(pods, ({ graceSeconds }) => graceSeconds);
  const going = step('its pods there are evicted, and given time to end', 0, grace);
  const again = replacement(workload, pods, situation);
  if (again.ways !== 'all') {
    const because = whyNot(again);
    const outcome = again.ways === 'none' ? 'cannot' : again.open.length > 0 ? 'open' : 'cannot';
    return {
      ...{ outcome, because, mayComeUp: again.ways === 'some' },
      story: [going, step(`what comes in their place waits: ${because}`, 0)],
    };
  }
  const holds = pods.some(({ claims, disks }) => claims.length + disks.length > 0);
  const waits = holds || workload.kind === 'StatefulSet';
  const until = waits ? grace + (holds ? UNMOUNTED_WITHIN : 0) : 0;
  const made =
    workload.kind === 'StatefulSet'
      ? 'each is made again once it is gone'
      : `its ${workload.kind} makes others at once`;
  return {
    outcome: 'comes-up',
    withinSeconds: until,
    because: 'another node takes it, and its volumes follow',
    story: [
      going,
      step(made, workload.kind === 'StatefulSet' ? grace : 0),
      ...(holds ? [step('its volumes are unmounted, detached, and attached to the other node', grace, until)] : []),
      step('it starts on another node', until),
    ],
  };
}

/** `pkg/registry/core/pod/storage/eviction.go:Create`. */
function blockedOr(pods: readonly RunningPod[], { cluster: { budgets } }: Situation, otherwise: Fate): Fate {
  if (!budgets.known) return otherwise;
  for (const pod of pods) {
    const over = budgets.value.filter(
      ({ namespace, selector }) =>
        namespace === pod.namespace && selector !== undefined && matchesSelector(selector, pod.labels),
    );
    const [budget] = over;
    if (budget === undefined) continue;
    if (over.length > 1)
      return blocked(`${over.length} PodDisruptionBudgets are about pod ${pod.name}, and then no eviction is granted`);
    if (budget.disruptionsAllowed === 0) return blocked(`PodDisruptionBudget ${budget.name} lets no pod go now`);
  }
  return otherwise;
}

function blocked(because: string): Fate {
  return {
    outcome: 'blocked',
    because,
    story: [step(`${because}: kubectl drain asks again every 5 s, for ever unless it is given a --timeout`, 0)],
  };
}
