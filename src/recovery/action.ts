import type { JsonObject } from '../objects/json.ts';
import { isWorkloadKind, KINDS } from '../objects/kinds.ts';
import { BOOT_ID_ANNOTATION, OUT_OF_SERVICE } from '../objects/node-status.ts';
import { keyOf } from '../objects/object-key.ts';
import type { ClaimRef } from './claim-use.ts';
import { isReplicated } from './owner.ts';
import { RECOVERY, REPLICAS_BEFORE, type RecoveryRecord, type Stopped } from './record.ts';

/** A pod by name, and which one of that name. */
export interface PodRef extends ClaimRef {
  readonly uid: string;
}

/** One write. The manifests of plain pods are read, and added to the record, when it is written. */
export type Action =
  | {
      readonly type: 'record';
      readonly claim: ClaimRef;
      readonly record: RecoveryRecord;
      readonly plainPods: readonly PodRef[];
    }
  | { readonly type: 'stop'; readonly target: Stopped; readonly resourceVersion: string }
  | { readonly type: 'delete-pod'; readonly pod: PodRef }
  | { readonly type: 'start'; readonly target: Stopped }
  | { readonly type: 'make-pod'; readonly manifest: JsonObject; readonly pod: ClaimRef }
  | { readonly type: 'forget'; readonly target: Stopped }
  | { readonly type: 'close'; readonly claim: ClaimRef }
  | { readonly type: 'out-of-service'; readonly node: string; readonly bootId: string | undefined }
  | { readonly type: 'delete-attachment'; readonly name: string; readonly node: string };

/** What it does, as a step of a plan and as a line of progress. */
export function wordsOf(action: Action): string {
  switch (action.type) {
    case 'record': {
      const what =
        action.record.phase === 'stop' ? 'what is going to be stopped' : 'that everything is to be started again';
      return `note on claim ${key(action.claim)} ${what}`;
    }
    case 'stop':
      return isScaled(action.target)
        ? `scale ${named(action.target)} from ${action.target.replicas} to 0`
        : `suspend ${named(action.target)}`;
    case 'delete-pod':
      return `delete pod ${key(action.pod)}`;
    case 'start':
      return isScaled(action.target)
        ? `scale ${named(action.target)} back to ${action.target.replicas}`
        : `let ${named(action.target)} go on`;
    case 'make-pod':
      return `make pod ${key(action.pod)} again`;
    case 'forget':
      return `take ${REPLICAS_BEFORE} off ${named(action.target)}`;
    case 'close':
      return `take the note off claim ${key(action.claim)}`;
    case 'out-of-service':
      return `declare node ${action.node} out of service`;
    case 'delete-attachment':
      return `delete attachment ${action.name} to ${action.node}`;
    default:
      return action satisfies never;
  }
}

/** The same by hand. */
export function commandsOf(action: Action): readonly string[] {
  switch (action.type) {
    case 'record':
      return action.plainPods.map(
        ({ namespace, name }) => `kubectl -n ${namespace} get pod ${name} -o yaml > ${name}.yaml`,
      );
    case 'stop':
      return [patch(action.target, stopPatch(action.target))];
    case 'delete-pod':
      return [`kubectl -n ${action.pod.namespace} delete pod ${action.pod.name}`];
    case 'start': {
      const { target } = action;
      if (!isScaled(target)) return [patch(target, startPatch(target))];
      return [`kubectl -n ${target.namespace} scale ${resource(target)} --replicas=${target.replicas}`];
    }
    case 'make-pod':
      return [`kubectl -n ${action.pod.namespace} create -f ${action.pod.name}.yaml`];
    case 'forget':
      return [`kubectl -n ${action.target.namespace} annotate ${resource(action.target)} ${REPLICAS_BEFORE}-`];
    case 'close':
      return [`kubectl -n ${action.claim.namespace} annotate pvc ${action.claim.name} ${RECOVERY}-`];
    case 'out-of-service': {
      const { node, bootId } = action;
      const noted = bootId === undefined ? [] : [`kubectl annotate node ${node} ${BOOT_ID_ANNOTATION}=${bootId}`];
      return [...noted, `kubectl taint node ${node} ${OUT_OF_SERVICE}=nodeshutdown:NoExecute`];
    }
    case 'delete-attachment':
      return [`kubectl delete volumeattachment ${action.name}`];
    default:
      return action satisfies never;
  }
}

/** Both in one write, so that nobody finds the one without the other. */
export function stopPatch(target: Stopped): object {
  if (!isScaled(target)) return { spec: { suspend: true } };
  return { metadata: { annotations: { [REPLICAS_BEFORE]: `${target.replicas}` } }, spec: { replicas: 0 } };
}

export function startPatch(target: Stopped): object {
  return { spec: isScaled(target) ? { replicas: target.replicas } : { suspend: false } };
}

export function isScaled({ apiVersion, kind }: Stopped): boolean {
  return isReplicated(apiVersion, kind);
}

export function named({ kind, namespace, name }: Pick<Stopped, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${keyOf(namespace, name)}`;
}

/** The plural under which the API serves it. */
export function pluralOf(kind: string): string {
  return isWorkloadKind(kind) ? KINDS[kind].list : `${kind.toLowerCase()}s`;
}

function key({ namespace, name }: ClaimRef): string {
  return keyOf(namespace, name);
}

function resource({ kind, name }: Stopped): string {
  return `${kind.toLowerCase()} ${name}`;
}

function patch(target: Stopped, body: object): string {
  return `kubectl -n ${target.namespace} patch ${resource(target)} --type merge -p '${JSON.stringify(body)}'`;
}
