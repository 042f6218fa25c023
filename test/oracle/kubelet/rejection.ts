import type {
  V1ContainerPort,
  V1Node,
  V1NodeSelectorRequirement,
  V1NodeSelectorTerm,
  V1Pod,
} from '@kubernetes/client-node';

/**
 * Why a kubelet does not take a pod, in its own words; `undefined` if it does. Only pods that went past the scheduler
 * are ever refused here (`pkg/kubelet/lifecycle/predicate.go:generalFilter`).
 */
export function rejectionOf(pod: V1Pod, node: V1Node | undefined, others: readonly V1Pod[]): string | undefined {
  if (node === undefined) return undefined;
  if (!selects(pod, node)) return 'NodeAffinity';
  if (others.some((other) => clash(portsOf(pod), portsOf(other)))) return 'NodePorts';
  const repelled = (node.spec?.taints ?? []).some(
    (taint) =>
      taint.effect === 'NoExecute' && !(pod.spec?.tolerations ?? []).some((one) => one.key === taint.key || !one.key),
  );
  return repelled ? 'TaintToleration' : undefined;
}

function portsOf({ spec }: V1Pod): readonly V1ContainerPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const ports = [...sidecars, ...(spec?.containers ?? [])].flatMap((container) => container.ports ?? []);
  return ports.filter(({ hostPort }) => (hostPort ?? 0) > 0);
}

function clash(mine: readonly V1ContainerPort[], theirs: readonly V1ContainerPort[]): boolean {
  const anywhere = ({ hostIP = '' }: V1ContainerPort): boolean => hostIP === '' || hostIP === '0.0.0.0';
  return mine.some((a) =>
    theirs.some((b) => {
      const sameAddress = anywhere(a) || anywhere(b) || a.hostIP === b.hostIP;
      return a.hostPort === b.hostPort && (a.protocol ?? 'TCP') === (b.protocol ?? 'TCP') && sameAddress;
    }),
  );
}

function selects({ spec }: V1Pod, node: V1Node): boolean {
  const labels = node.metadata?.labels ?? {};
  if (!Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => matches(term, node));
}

function matches({ matchExpressions = [], matchFields = [] }: V1NodeSelectorTerm, { metadata }: V1Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => holds(requirement, metadata?.labels?.[requirement.key])) &&
    matchFields.every((requirement) => holds(requirement, metadata?.name))
  );
}

function holds({ operator, values = [] }: V1NodeSelectorRequirement, label: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return label !== undefined && values.includes(label);
    case 'NotIn':
      return label === undefined || !values.includes(label);
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    case 'Gt':
      return Number(label) > Number(values[0]);
    case 'Lt':
      return Number(label) < Number(values[0]);
    default:
      throw new Error(`No node selector has the operator ${operator}`);
  }
}
