import { type LabelledPod, operationsToCompare, selects } from '../objects/pod-affinity.ts';
import type { PodTemplate } from '../objects/pod-template.ts';
import type { NodeSelectorTerm } from '../objects/selector.ts';
import type { NodeSearch } from './node-search.ts';
import type { Bystander, PodFacts } from './workload-facts.ts';

/** The number of nodes above which pods are taken to be anywhere. */
const MOST_NODES = 16;

/**
 * What a node has to match for required affinity that means pods of other workloads and not the pod's own: to be in a
 * domain where one of those may run (`scheduler/framework/plugins/interpodaffinity/filtering.go:satisfyPodAffinity`).
 * Volumes of theirs are not looked at, nor labels that their controllers add. Pods of a DaemonSet come to their nodes all the
 * same, to wait there (`pkg/controller/daemon/daemon_controller.go:NodeShouldRunDaemonPod`).
 */
export function besideOthers(
  own: Bystander,
  { bystanders, nodes }: Pick<PodFacts, 'bystanders' | 'nodes'>,
): PodFacts['beside'] {
  const { template, onEveryNode } = own.workload;
  const { podAffinity } = template;
  if (podAffinity.length === 0 || onEveryNode || !bystanders.known || !nodes.known) return [];
  const { budget } = nodes.value;
  const pod = labelled(own);
  // An existing pod has to match all terms.
  const means = (other: LabelledPod): boolean =>
    podAffinity.every((term) => {
      budget.spend(operationsToCompare(term));
      return selects(term, pod, other) !== false;
    });
  if (means(pod)) return [];
  const templates = bystanders.value.filter((other) => means(labelled(other))).map(({ workload }) => workload.template);
  const keys = new Set(podAffinity.map(({ topologyKey }) => topologyKey));
  return [...keys].flatMap((key) => {
    budget.spend(1 + templates.length);
    return inDomains(key, templates, nodes.value);
  });
}

function labelled({ workload: { template, metadata }, namespaceLabels }: Bystander): LabelledPod {
  return { labels: template.labels, namespace: metadata.namespace, namespaceLabels };
}

/** What a node matches in the domains of these pods; nothing where they may be nearly anywhere, or nowhere. */
function inDomains(key: string, templates: readonly PodTemplate[], nodes: NodeSearch): PodFacts['beside'] {
  const values = new Set<string>();
  for (const template of templates) {
    const names = nodesOf(template, nodes);
    if (names.length > MOST_NODES) return [];
    for (const name of names) {
      const value = nodes.get(name)?.labels.get(key);
      if (value !== undefined) values.add(value);
    }
  }
  if (values.size === 0) return [];
  const term: NodeSelectorTerm = { expressions: [{ key, operator: 'In', values: [...values] }], fields: [] };
  return [[term]];
}

function nodesOf(template: PodTemplate, nodes: NodeSearch): readonly string[] {
  if (template.nodeName !== undefined) return [template.nodeName];
  const selectors = nodes.queries.selectorsOf(template);
  const query = { selectors, zones: [], tolerations: template.tolerations, weather: false };
  return nodes.find([query], MOST_NODES + 1).map(({ name }) => name);
}
