import { isWeather } from '../../../objects/node.ts';
import { repels, type Taint } from '../../../objects/toleration.ts';
import type { NodeFilter } from './filter.ts';

/** What a cordon comes to (`pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go:Filter`). */
const CORDON: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };

/** `pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go:Filter`. What passes counts only for pods that come today. */
export const taintToleration: NodeFilter = ({ template: { tolerations }, countsCordons }, node) => {
  if (countsCordons && node.unschedulable && repels(CORDON, tolerations)) return false;
  return !node.taints.some((taint) => (countsCordons || !isWeather(taint)) && repels(taint, tolerations));
};
