import type { Fact } from '../facts/fact.ts';
import type { HostPort, PodAffinityTerm, PodTemplate } from '../facts/pod-template.ts';
import { type LabelSelector, matchesSelector } from '../facts/selector.ts';

type Labels = ReadonlyMap<string, string>;

/** A pod that is about to be scheduled, or one that runs already: its template, and its ReplicaSet's hash. */
export interface Pod {
  readonly template: PodTemplate;
  readonly podTemplateHash: 'old' | 'new';
}

/** Both pods live in one namespace; its labels matter to terms that select namespaces by label. */
export interface Neighbourhood {
  readonly namespace: string;
  readonly namespaceLabels: Fact<Labels>;
}

const HOSTNAME = 'kubernetes.io/hostname';

/** What the ReplicaSet controller adds to the labels of its pods (`pkg/controller/deployment/sync.go:getNewReplicaSet`). */
const POD_TEMPLATE_HASH = 'pod-template-hash';

/**
 * Whether the incoming pod has to land where the running one is. Only required affinity with one node as its topology
 * holds, and only if the running pod matches every required term
 * (`scheduler/framework/plugins/interpodaffinity/filtering.go:satisfyPodAffinity`).
 */
export function mustShareNode(incoming: Pod, running: Pod, where: Neighbourhood): boolean {
  const terms = incoming.template.podAffinity;
  if (!terms.some((term) => term.topologyKey === HOSTNAME)) return false;
  return terms.every((term) => selects(term, incoming, running, where) === 'yes');
}

/**
 * Whether the incoming pod has to keep off the running one's node: anti-affinity of either, a host port that both
 * want, or a spread over nodes that puts no second pod on one (`filtering.go:satisfyExistingPodsAntiAffinity`,
 * `nodeports`, `podtopologyspread`). An unknown namespace counts as selected, which is the worse case.
 */
export function mustKeepApart(incoming: Pod, running: Pod, where: Neighbourhood): boolean {
  return portsClash(incoming.template.hostPorts, running.template.hostPorts) || repelsPod(incoming, running, where);
}

/** As `mustKeepApart`, but only as long as there is another node to go to: spread yields on the last one. */
export function spreadsApart(incoming: Pod, running: Pod): boolean {
  return incoming.template.spread.some(({ topologyKey, maxSkew, selector, matchLabelKeys }) => {
    if (topologyKey !== HOSTNAME || maxSkew > 1 || selector === undefined) return false;
    const merged = withMatchLabelKeys(selector, matchLabelKeys, incoming);
    return matchesSelector(merged, labelsOf(incoming)) && matchesSelector(merged, labelsOf(running));
  });
}

function repelsPod(incoming: Pod, running: Pod, where: Neighbourhood): boolean {
  const byIncoming = incoming.template.podAntiAffinity.some((term) => selects(term, incoming, running, where) !== 'no');
  return (
    byIncoming || running.template.podAntiAffinity.some((term) => selects(term, running, incoming, where) !== 'no')
  );
}

/** Whether `owner`'s term selects the other pod. */
function selects(term: PodAffinityTerm, owner: Pod, other: Pod, where: Neighbourhood): 'yes' | 'no' | 'perhaps' {
  if (term.selector === undefined) return 'no';
  const mismatch = term.mismatchLabelKeys.flatMap((key) => requirementOn(key, 'NotIn', owner));
  const selector = [...withMatchLabelKeys(term.selector, term.matchLabelKeys, owner), ...mismatch];
  return matchesSelector(selector, labelsOf(other)) ? selectsNamespace(term, where) : 'no';
}

/** Without namespaces and selector a term means its pod's own namespace; an empty selector means all. */
function selectsNamespace(term: PodAffinityTerm, where: Neighbourhood): 'yes' | 'no' | 'perhaps' {
  if (term.namespaces.includes(where.namespace)) return 'yes';
  if (term.namespaceSelector === undefined) return term.namespaces.length === 0 ? 'yes' : 'no';
  if (term.namespaceSelector.length === 0) return 'yes';
  if (!where.namespaceLabels.known) return 'perhaps';
  return matchesSelector(term.namespaceSelector, where.namespaceLabels.value) ? 'yes' : 'no';
}

/** `pkg/registry/core/pod/strategy.go:applyMatchLabelKeysAndMismatchLabelKeys`: the pod's own value joins the selector. */
function withMatchLabelKeys(selector: LabelSelector, keys: readonly string[], owner: Pod): LabelSelector {
  return [...selector, ...keys.flatMap((key) => requirementOn(key, 'In', owner))];
}

function requirementOn(key: string, operator: 'In' | 'NotIn', owner: Pod): LabelSelector {
  const value = labelsOf(owner).get(key);
  return value === undefined ? [] : [{ key, operator, values: [value] }];
}

function labelsOf({ template, podTemplateHash }: Pod): Labels {
  return new Map([...template.labels, [POD_TEMPLATE_HASH, podTemplateHash]]);
}

/** `scheduler/framework/types.go:HostPortInfo.CheckConflict`: the wildcard address clashes with every other. */
function portsClash(a: readonly HostPort[], b: readonly HostPort[]): boolean {
  return a.some((mine) =>
    b.some((theirs) => mine.port === theirs.port && mine.protocol === theirs.protocol && sameIP(mine, theirs)),
  );
}

function sameIP(a: HostPort, b: HostPort): boolean {
  const wildcard = (ip: string): boolean => ip === '' || ip === '0.0.0.0';
  return wildcard(a.hostIP) || wildcard(b.hostIP) || a.hostIP === b.hostIP;
}
