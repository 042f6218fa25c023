import { type JsonObject, listAt, objectAt } from '../objects/json.ts';
import { HOSTNAME } from '../objects/node.ts';
import type { PodAffinityTerm } from '../objects/pod-template.ts';
import { labelSelectorAt } from '../objects/selector.ts';
import type { Workload } from '../objects/workload.ts';
import { type JsonPatchOperation, setAt } from './json-patch.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** The workload as it would be with its pods held on one node by their own labels. */
export function withPodAffinity(workload: Workload, object: JsonObject): Workload {
  const term: PodAffinityTerm = {
    topologyKey: HOSTNAME,
    selector: labelSelectorAt(objectAt(object, 'spec'), 'selector'),
    namespaces: [],
    namespaceSelector: undefined,
    matchLabelKeys: [],
    mismatchLabelKeys: [],
  };
  return { ...workload, template: { ...workload.template, podAffinity: [...workload.template.podAffinity, term] } };
}

/** Adds a required term that selects by the workload's own selector, which all its pods match, beside what is there. */
export function podAffinityPatch(object: JsonObject): readonly JsonPatchOperation[] {
  const spec = objectAt(object, 'spec');
  const affinity = objectAt(objectAt(objectAt(objectAt(spec, 'template'), 'spec'), 'affinity'), 'podAffinity');
  const terms = [...listAt(affinity, REQUIRED), { labelSelector: objectAt(spec, 'selector'), topologyKey: HOSTNAME }];
  return [setAt(object, ['spec', 'template', 'spec', 'affinity', 'podAffinity', REQUIRED], terms)];
}
