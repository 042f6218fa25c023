import { makerOf, type Workload } from '../objects/workload.ts';
import type { ClusterSnapshot } from './snapshot.ts';

/** Whether its maker is judged for it. One that cannot be looked up is taken to be there: else what it makes is told of twice. */
export function isOfMaker(workload: Workload, snapshot: Pick<ClusterSnapshot, 'get'>): boolean {
  const maker = makerOf(workload);
  if (maker === undefined) return false;
  const found = snapshot.get(maker.kind, workload.metadata.namespace, maker.name);
  return !found.known || found.value?.uid === maker.uid;
}
