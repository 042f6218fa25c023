import { BOOT_ID_ANNOTATION, OUT_OF_SERVICE } from '../objects/node-status.ts';
import { type Action, commandsOf, wordsOf } from './action.ts';
import { byHand, hand, keyText as key, type Step } from './by-hand.ts';
import type { ClaimUse } from './claim-use.ts';
import type { Diagnosis } from './diagnosis.ts';
import { recordOf } from './record.ts';
import { type Mandate, refusalsToStop } from './refusals.ts';
import { scaledBackBy } from './scaled-back.ts';
import { firstRecord, usersOf } from './stop-and-start.ts';
import { names, nodeOf, podsOn, viewOf } from './view.ts';

/** What to do about a claim. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Writes of the first part, up to where somebody has to be waited for. */
  readonly writes: readonly Action[];
  /** Why `--apply` would not begin. */
  readonly refusals: readonly string[];
}

export function planFor(use: ClaimUse, diagnosis: Diagnosis, mandate: Mandate): Plan {
  const record = use.claim.known && use.claim.value ? recordOf(use.claim.value.metadata.annotations) : undefined;
  if (record !== undefined) {
    const title = 'a recovery of this claim is under way: --apply goes on with it, and puts back what it has stopped';
    return {
      steps: [{ title, commands: [`rwo-guard recover ${key(use)} --apply`], applied: true }],
      writes: [],
      refusals: [],
    };
  }
  switch (diagnosis.case) {
    case 'rollout-deadlock':
      return stopAndStart(use, diagnosis, mandate, [
        hand('so that the next rollout does not hang: give the Deployment strategy Recreate', [
          'rwo-guard rules rollout-deadlock',
        ]),
      ]);
    case 'shared-volume-stuck':
      return stopAndStart(use, diagnosis, mandate, []);
    case 'two-owners':
      return twoOwners(use, diagnosis, mandate);
    case 'node-down':
    case 'node-down-pod-gone':
      return nodeDown(use, diagnosis, mandate);
    case 'deleted-node':
      return deletedNode(use, diagnosis, mandate);
    default:
      return { steps: byHand(use, diagnosis), writes: [], refusals: [] };
  }
}

function applied(action: Action): Step {
  return { title: wordsOf(action), commands: commandsOf(action), applied: true };
}

/** Who would scale back is told before anything is stopped. */
function pauses(use: ClaimUse, mandate: Mandate): readonly Step[] {
  const told = usersOf(use, mandate.keep).workloads.flatMap((workload) =>
    scaledBackBy(use, workload).flatMap(({ words, pause }) =>
      pause === undefined
        ? []
        : [hand(`${workload.owner.kind} ${key(workload.owner)} is ${words}: have it wait`, [pause])],
    ),
  );
  return told;
}

function stopAndStart(use: ClaimUse, diagnosis: Diagnosis, mandate: Mandate, after: readonly Step[]): Plan {
  const { stopping, writes, refusals } = stopped(use, diagnosis, mandate, true);
  const record = firstRecord(diagnosis.case, usersOf(use), true);
  const plain = usersOf(use).plain;
  const starting = [
    ...record.stopped.map((target): Action => ({ type: 'start', target })),
    ...plain.map((pod): Action => ({ type: 'make-pod', manifest: {}, pod })),
    ...record.stopped.map((target): Action => ({ type: 'forget', target })),
  ];
  return {
    steps: [
      ...pauses(use, mandate),
      ...stopping,
      {
        title: 'wait until no pod uses the claim and it is attached nowhere',
        commands: [`rwo-guard who-uses ${key(use)}`],
        applied: true,
      },
      ...(diagnosis.case === 'shared-volume-stuck' ? [hand('make sure that the server and the export answer')] : []),
      ...starting.map(applied),
      ...after,
    ],
    ...{ writes, refusals },
  };
}

function stopped(use: ClaimUse, { case: id }: Diagnosis, mandate: Mandate, starts: boolean) {
  const users = usersOf(use, mandate.keep);
  const claim = { namespace: use.namespace, name: use.name };
  const record = firstRecord(id, users, starts);
  const plainPods = users.plain.map(({ namespace, name, uid }) => ({ namespace, name, uid }));
  const versions = new Map(users.workloads.map(({ owner }) => [owner.uid, owner.resourceVersion]));
  const writes: readonly Action[] = [
    { type: 'record', claim, record, plainPods },
    ...record.stopped.map(
      (target): Action => ({ type: 'stop', target, resourceVersion: versions.get(target.uid) ?? '' }),
    ),
    ...plainPods.map((pod): Action => ({ type: 'delete-pod', pod })),
  ];
  return { stopping: writes.map(applied), writes, refusals: refusalsToStop(use, users.workloads, users.pods, mandate) };
}

function twoOwners(use: ClaimUse, diagnosis: Diagnosis, mandate: Mandate): Plan {
  if (mandate.keep === undefined) {
    const { workloads, plain } = usersOf(use);
    const owners = [
      ...workloads.map(({ owner }) => `${owner.kind}/${owner.name}`),
      ...plain.map(({ name }) => `Pod/${name}`),
    ];
    return {
      steps: [
        hand(
          `decide which of them is to have the claim: ${owners.join(', ')}`,
          owners.map((owner) => `rwo-guard recover ${key(use)} --keep ${owner}`),
        ),
        hand('give the other one a claim of its own, or a mode that several nodes may use'),
      ],
      writes: [],
      refusals: ['say which owner keeps the claim: --keep KIND/NAME'],
    };
  }
  const { stopping, writes, refusals } = stopped(use, diagnosis, mandate, false);
  return {
    steps: [
      ...pauses(use, mandate),
      ...stopping,
      hand('give what was stopped a claim of its own before it is scaled back'),
    ],
    ...{ writes, refusals },
  };
}

function nodeDown(use: ClaimUse, { case: id, node = '' }: Diagnosis, { nodeIsOff }: Mandate): Plan {
  const view = viewOf(use);
  const status = nodeOf(view, node);
  const action: Action = { type: 'out-of-service', node, bootId: status?.bootId };
  const pods = podsOn(view, node);
  return {
    steps: [
      hand(`see whether node ${node} comes back: its machine, its kubelet, its network`, [
        `kubectl describe node ${node}`,
      ]),
      ...(id === 'node-down-pod-gone'
        ? [hand('or wait: 6 minutes after the pod went the volume is detached by force, unless that is switched off')]
        : []),
      hand(`power the machine of ${node} off, and make sure that it stays off`),
      applied(action),
      {
        title: `wait until ${pods.length > 0 ? `nothing is left of ${names(pods)} and ` : ''}the volume is off ${node}`,
        commands: [`rwo-guard who-uses ${key(use)}`],
        applied: true,
      },
      hand(
        `only once ${node} has started anew, and its boot id is not ${status?.bootId ?? 'the one of now'} any more: let it serve again`,
        [
          `kubectl get node ${node} -o jsonpath='{.status.nodeInfo.bootID}'`,
          `kubectl taint node ${node} ${OUT_OF_SERVICE}-`,
          `kubectl annotate node ${node} ${BOOT_ID_ANNOTATION}-`,
        ],
      ),
    ],
    writes: [action],
    refusals:
      nodeIsOff.includes(node) || id === 'node-down-pod-gone'
        ? []
        : [`is the machine of ${node} off, and does it stay off? If so: --node-is-off ${node}`],
  };
}

function deletedNode(use: ClaimUse, { node = '' }: Diagnosis, { nodeIsOff }: Mandate): Plan {
  const stale = viewOf(use).attachments.filter(({ nodeName }) => nodeName === node);
  const deletions = stale.map(({ name }): Action => ({ type: 'delete-attachment', name, node }));
  const isOff = nodeIsOff.includes(node);
  return {
    steps: [
      {
        title: 'wait about a minute for its pods, and 6 more for the volume, unless detaching by force is switched off',
        commands: [`rwo-guard who-uses ${key(use)}`],
        applied: true,
      },
      hand(
        `if it stays: make sure that the machine of ${node} is off or destroyed, and that the storage shows no client of it`,
      ),
      ...deletions.map((action) => ({
        ...applied(action),
        applied: isOff,
        title: `only then, for a machine that runs would go on writing: ${wordsOf(action)}`,
      })),
    ],
    writes: isOff ? deletions : [],
    refusals: [],
  };
}
