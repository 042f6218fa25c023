import { type Fact, mapFact } from '../objects/fact.ts';
import { askedToEnd } from './ago.ts';
import { type ClaimUse, nodesOf, type OwnerLink, unseenOf } from './claim-use.ts';
import { scaledBackBy } from './scaled-back.ts';

/** The use of a claim for programs. What is not known is `null`, and `unseen` tells why. */
export function whoUsesJson(use: ClaimUse): object {
  const { namespace, name, claim, volume, attachments, otherClaims, attachable, manyNodes, pods, workloads } = use;
  return {
    claim: {
      ...{ namespace, name },
      status: orNull(
        claim,
        (found) =>
          found && {
            phase: found.phase,
            accessModes: found.accessModes,
            deletingSince: found.deletingSince,
            finalizers: found.finalizers,
          },
      ),
    },
    volume: orNull(
      volume,
      (found) =>
        found && {
          name: found.name,
          source: found.source,
          accessModes: found.accessModes,
          reclaimPolicy: found.reclaimPolicy,
          deleting: found.deleting,
        },
    ),
    attachable: orNull(attachable, (is) => is),
    manyNodes,
    claimsOnSameDisk: orNull(otherClaims, (refs) => refs),
    attachments: orNull(attachments, (all) => all),
    nodes: nodesOf(use).map((node) => ({
      name: node,
      status: orNull(
        use.node(node),
        (found) =>
          found && {
            ready: found.ready,
            readySince: found.readySince,
            taints: found.taints,
            bootId: found.bootId,
            deleting: found.deleting,
            volumesInUse: found.volumesInUse,
          },
      ),
    })),
    pods: orNull(pods, (all) =>
      all.map((pod) => {
        const asked = askedToEnd(pod);
        const { nodeName: node, phase, isStarting, isRunning, graceSeconds, finalizers, unschedulable } = pod;
        const deletingFor = asked === undefined ? undefined : Math.round((use.now - asked) / 1000);
        return {
          namespace: pod.namespace,
          name: pod.name,
          node,
          phase,
          isStarting,
          isRunning,
          deletingFor,
          graceSeconds,
          finalizers,
          unschedulable,
          owners: pod.owners.map(linkJson),
        };
      }),
    ),
    workloads: orNull(workloads, (all) =>
      all.map((workload) => {
        const { kind, namespace: home, name: called, replicas, suspended } = workload.owner;
        return {
          kind,
          namespace: home,
          name: called,
          replicas,
          suspended,
          owners: workload.owners.map(linkJson),
          scaledBackBy: scaledBackBy(use, workload),
        };
      }),
    ),
    unseen: unseenOf(use),
  };
}

function linkJson({ apiVersion, kind, namespace, name, found }: OwnerLink): object {
  return {
    apiVersion,
    kind,
    namespace,
    name,
    isThere: orNull(
      mapFact(found, (owner) => owner !== undefined),
      (is) => is,
    ),
  };
}

function orNull<T, U>(fact: Fact<T>, of: (value: T) => U): U | null {
  return fact.known ? (of(fact.value) ?? null) : null;
}
