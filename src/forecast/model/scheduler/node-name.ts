import type { NodeFilter } from './filter.ts';

/** `pkg/controller/daemon/util/daemonset_util.go:ReplaceDaemonSetPodNodeNameNodeAffinity`: a pod of a DaemonSet is for one node. */
export const nodeName: NodeFilter = ({ onlyNode }, _node, index) => onlyNode === undefined || onlyNode === index;
