import { type Fact, unknown } from '../objects/fact.ts';
import type { NodeStatus } from '../objects/node-status.ts';
import type { Pod } from '../objects/pod.ts';

/** Reads what guards judge by and nothing watches; never rejects, and what could not be read is an unknown fact. */
export interface NodeReading {
  node(name: string, signal: AbortSignal): Promise<Fact<NodeStatus | undefined>>;
  /** The pods on a node that have not ended: of one namespace, or of all where it is empty. */
  podsOn(node: string, namespace: string, signal: AbortSignal): Promise<Fact<readonly Pod[]>>;
}

/** Where there is no API server to read from. */
export const NOBODY_TO_ASK: NodeReading = {
  node: async (name) => unknown(`Node ${name} cannot be read without a cluster`),
  podsOn: async (node) => unknown(`pods on ${node} cannot be read without a cluster`),
};
