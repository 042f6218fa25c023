import { isTransient, type Node } from '../../objects/node.ts';
import { repels, type Taint } from '../../objects/toleration.ts';
import { ANY_NODE, type NodeFilter } from './filter.ts';

/** What a cordon comes to (`pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go:Filter`). */
const CORDON: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };

/** Up to so many are compared sooner than they are put in order. */
const FEW = 8;

/** `pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go:Filter`. What passes counts only for pods that come today. */
export const taintToleration: NodeFilter = ({ template: { tolerations }, countsCordons }, nodes) => {
  const isTainted = ({ taints, unschedulable }: Node): boolean => taints.length > 0 || unschedulable;
  if (tolerations.length <= FEW) {
    const isRepelledBy = (taint: Taint): boolean =>
      (countsCordons || !isTransient(taint)) && repels(taint, tolerations);
    return (node) =>
      !(isTainted(node) && (node.taints.some(isRepelledBy) || (node.unschedulable && isRepelledBy(CORDON))));
  }
  const query = { ...ANY_NODE, tolerations, countsTransient: countsCordons };
  return (node) => !isTainted(node) || nodes.fits(node.name, query);
};
